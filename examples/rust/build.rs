//! Makes the messages and services of `players::proto` from the protos.

const PROTOS: &str = "../../proto";
const FILES: [&str; 4] = [
    "fairplay/v1/player.proto",
    "fairplay/v1/connection.proto",
    "fairplay/fish/v1/fish_player.proto",
    "fairplay/q/v1/q_player.proto",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut config = prost_build::Config::new();
    config.protoc_executable(protoc_bin_vendored::protoc_bin_path()?);
    tonic_prost_build::configure().compile_with_config(config, &FILES, &[PROTOS])?;
    Ok(())
}
