//! Whom a player trusts, who it is, and whose calls it answers.

use std::{env, fs};

use anyhow::{Context, bail, ensure};
use subtle::ConstantTimeEq;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, ServerTlsConfig};
use tonic::{Request, Status};

const SECRET_KEY: &str = "fairplay-secret";
const MAX_SECRET_BYTES: usize = 256;

/// Where a server is, and what calls show to it.
pub struct Target {
    pub endpoint: Endpoint,
    pub authorization: Option<MetadataValue<Ascii>>,
}

/// Reads an address: grpcs:// stands for TLS and grpc:// for none. Without either, there is TLS where FAIRPLAY_CA names
/// the authorities to trust; otherwise those of the system are. The token of the player's account, FAIRPLAY_TOKEN, is
/// shown over TLS or on this machine only.
pub fn target(address: &str) -> anyhow::Result<Target> {
    let ca = env::var("FAIRPLAY_CA").ok().filter(|file| !file.is_empty());
    let (host, secure) = match (address.strip_prefix("grpcs://"), address.strip_prefix("grpc://")) {
        (Some(host), _) => (host, true),
        (_, Some(host)) => (host, false),
        _ => (address, ca.is_some()),
    };
    let endpoint = if secure {
        let trusted = match ca {
            Some(file) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(&file)?)),
            None => ClientTlsConfig::new().with_native_roots(),
        };
        Endpoint::from_shared(format!("https://{host}"))?.tls_config(trusted)?
    } else {
        Endpoint::from_shared(format!("http://{host}"))?
    };
    let token = env::var("FAIRPLAY_TOKEN").unwrap_or_default().trim().to_owned();
    let authorization = if !token.is_empty() && (secure || is_loopback(host)) {
        Some(format!("Bearer {token}").parse().context("FAIRPLAY_TOKEN is no token")?)
    } else {
        None
    };
    Ok(Target { endpoint, authorization })
}

fn is_loopback(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let ip = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
}

/// How a player serves: over TLS with a certificate and its key, or without.
pub fn certified(certificate: Option<&str>, key: Option<&str>) -> anyhow::Result<Option<ServerTlsConfig>> {
    match (certificate, key) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => {
            let identity = Identity::from_pem(read(certificate)?, read(key)?);
            Ok(Some(ServerTlsConfig::new().identity(identity)))
        }
        _ => bail!("--tls-cert and --tls-key belong together: the certificate of --listen, and its key"),
    }
}

fn read(file: &str) -> anyhow::Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("{file} cannot be read"))
}

/// Returns what refuses calls that do not show the player's secret, FAIRPLAY_SECRET, if there is one.
pub fn guard() -> anyhow::Result<impl Fn(Request<()>) -> Result<Request<()>, Status> + Clone> {
    let secret = env::var_os("FAIRPLAY_SECRET").map(|secret| secret.into_encoded_bytes());
    if let Some(secret) = &secret {
        let usable = (1..=MAX_SECRET_BYTES).contains(&secret.len()) && secret.iter().all(u8::is_ascii_graphic);
        ensure!(usable, "FAIRPLAY_SECRET cannot be used: a secret is 1 to 256 visible characters of ASCII");
    }
    Ok(move |request: Request<()>| {
        let mut shown = request.metadata().get_all(SECRET_KEY).iter();
        let first = shown.next().map_or(&b""[..], MetadataValue::as_encoded_bytes);
        match &secret {
            Some(secret) if !bool::from(first.ct_eq(secret)) || shown.next().is_some() => {
                let message =
                    format!("this player answers only calls that show its secret in the metadata {SECRET_KEY}");
                Err(Status::unauthenticated(message))
            }
            _ => Ok(request),
        }
    })
}
