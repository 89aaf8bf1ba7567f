//! Connects a player with the server of its games, in both ways that there are. It knows no game.

use std::env;

use anyhow::{Context, bail};
use lexopt::Arg::Long;
use lexopt::ValueExt;
use tokio::net::TcpListener;
use tonic::service::{InterceptorLayer, Routes};
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Server, ServerTlsConfig};
use tonic::{Request, Response, Status};

use proto::fairplay::player_service_server::{PlayerService, PlayerServiceServer};
use proto::fairplay::{
    DescribeRequest, DescribeResponse, EndRequest, EndResponse, HostedPlayer, PlayerDescription, StartRequest,
    StartResponse,
};

mod credentials;
mod dial_in;

/// What the build makes from the protos.
pub mod proto {
    pub mod fairplay {
        tonic::include_proto!("fairplay.v1");
    }
    pub mod fish {
        tonic::include_proto!("fairplay.fish.v1");
    }
    pub mod q {
        tonic::include_proto!("fairplay.q.v1");
    }
}

/// Runs a player until the server says goodbye, or for as long as it serves. `game` holds the services of the player's
/// games; `description` names them.
pub async fn run(description: PlayerDescription, game: Routes) -> anyhow::Result<()> {
    let options = Options::parse()?;
    let routes = game.add_service(PlayerServiceServer::new(Tournaments { description: description.clone() }));
    if let Some(address) = options.listen {
        let tls = credentials::certified(options.tls_cert.as_deref(), options.tls_key.as_deref())?;
        serve(&address, tls, routes).await
    } else if let (Some(address), Some(name)) = (options.connect, options.name) {
        let player = HostedPlayer {
            name,
            token: options.token.unwrap_or_default(),
            description: Some(description),
            ..Default::default()
        };
        dial_in::dial_in(&address, player, routes).await
    } else {
        bail!("give --listen HOST:PORT to serve, or --connect HOST:PORT and --name NAME to dial in")
    }
}

/// Where to go, and as whom.
#[derive(Default)]
struct Options {
    listen: Option<String>,
    connect: Option<String>,
    name: Option<String>,
    token: Option<String>,
    tls_cert: Option<String>,
    tls_key: Option<String>,
}

impl Options {
    /// Reads the arguments, and for what they leave open the environment that the server gives to what it starts.
    fn parse() -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut serve = false;
        let mut arguments = lexopt::Parser::from_env();
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("listen") => options.listen = Some(arguments.value()?.string()?),
                Long("connect") => options.connect = Some(arguments.value()?.string()?),
                Long("name") => options.name = Some(arguments.value()?.string()?),
                Long("token") => options.token = Some(arguments.value()?.string()?),
                Long("tls-cert") => options.tls_cert = Some(arguments.value()?.string()?),
                Long("tls-key") => options.tls_key = Some(arguments.value()?.string()?),
                Long("serve") => serve = true,
                _ => return Err(argument.unexpected().into()),
            }
        }
        if options.listen.is_none() && options.connect.is_none() {
            options.connect = env::var("FAIRPLAY_CONNECT").ok().filter(|_| !serve);
            if options.connect.is_none() {
                options.listen = env::var("FAIRPLAY_LISTEN").ok();
            }
            options.token = options.token.or_else(|| env::var("FAIRPLAY_TOKEN").ok());
        }
        options.name = options.name.or_else(|| env::var("FAIRPLAY_NAME").ok());
        Ok(options)
    }
}

/// Serves: the player listens, and the server calls it.
async fn serve(address: &str, tls: Option<ServerTlsConfig>, routes: Routes) -> anyhow::Result<()> {
    let guard = credentials::guard()?;
    let listener = TcpListener::bind(address).await.with_context(|| format!("cannot serve on {address}"))?;
    println!("the player serves on {}", listener.local_addr()?);
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let mut server = Server::builder();
    if let Some(tls) = tls {
        server = server.tls_config(tls)?;
    }
    let mut server = server.layer(InterceptorLayer::new(guard));
    Ok(server.add_routes(routes).serve_with_incoming(incoming).await?)
}

/// The service that every player has. This one has nothing to prepare and nothing to celebrate.
struct Tournaments {
    description: PlayerDescription,
}

#[tonic::async_trait]
impl PlayerService for Tournaments {
    async fn describe(&self, _: Request<DescribeRequest>) -> Result<Response<DescribeResponse>, Status> {
        Ok(Response::new(DescribeResponse { description: Some(self.description.clone()), ..Default::default() }))
    }

    async fn start(&self, _: Request<StartRequest>) -> Result<Response<StartResponse>, Status> {
        Ok(Response::new(StartResponse::default()))
    }

    async fn end(&self, _: Request<EndRequest>) -> Result<Response<EndResponse>, Status> {
        Ok(Response::new(EndResponse::default()))
    }
}
