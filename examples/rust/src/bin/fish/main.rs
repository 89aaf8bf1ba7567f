//! Plays Fish. Goes for tiles with many fish, and stays where it can move far.

use players::proto::fairplay::{GameService, PlayerDescription};
use players::proto::fish::fish_player_service_server::{self, FishPlayerServiceServer};
use tonic::service::Routes;

use player::Player;

mod player;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let description = PlayerDescription {
        display_name: "Fish in Rust".into(),
        software_version: env!("CARGO_PKG_VERSION").into(),
        services: vec![GameService {
            name: fish_player_service_server::SERVICE_NAME.into(),
            revision: 1,
            ..Default::default()
        }],
        ..Default::default()
    };
    players::run(description, Routes::new(FishPlayerServiceServer::new(Player))).await
}
