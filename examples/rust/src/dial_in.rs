//! Dialling in: the player opens a stream and is called through it.

use std::time::{Duration, Instant};

use anyhow::Context;
use futures::channel::mpsc;
use futures::{StreamExt, stream};
use prost::bytes::{Buf, BufMut};
use tokio_util::task::JoinMap;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Routes;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::credentials::{Target, target};
use crate::proto::fairplay::connection_service_client::ConnectionServiceClient;
use crate::proto::fairplay::reply::Outcome;
use crate::proto::fairplay::{Call, DialInRequest, Failure, Goodbye, GoodbyeReason, Hello, HostedPlayer, Reply};

/// For a server that is not there: a new start takes a while.
const PATIENCE: Duration = Duration::from_secs(600);
/// For which games wait when the server loses us.
const RESUME_WINDOW: Duration = Duration::from_secs(30);
/// The server takes one ping in 10 s.
const KEEPALIVE: Duration = Duration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LAST_PAUSE: Duration = Duration::from_secs(1);
/// A handshake takes a while on a busy machine.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
const MAX_BYTES: usize = 16 << 20;
/// In one frame.
const MAX_REPLIES: usize = 256;

/// After these codes trying again would not help.
const REFUSALS: [Code; 5] =
    [Code::InvalidArgument, Code::AlreadyExists, Code::PermissionDenied, Code::Unauthenticated, Code::Unimplemented];

/// Answers calls until the server says that the player is no longer needed. Opens another stream when one is lost.
pub async fn dial_in(address: &str, player: HostedPlayer, routes: Routes) -> anyhow::Result<()> {
    let Target { endpoint, authorization } = target(address)?;
    let channel = endpoint.connect_timeout(CONNECT_LIMIT).http2_keep_alive_interval(KEEPALIVE).connect_lazy();
    let hello = Hello { players: vec![player], resume_window: Some(RESUME_WINDOW.try_into()?), ..Default::default() };
    let server = ConnectionServiceClient::new(channel).max_decoding_message_size(MAX_BYTES);
    let mut connection = Connection { server, authorization, hello, routes, welcomed: false };
    let (mut give_up, mut pause) = (Instant::now() + PATIENCE, FIRST_PAUSE);
    loop {
        let ending = connection.converse().await;
        if std::mem::take(&mut connection.welcomed) {
            (give_up, pause) = (Instant::now() + PATIENCE, FIRST_PAUSE);
        }
        match ending {
            Ok(goodbye) if goodbye.reason() != GoodbyeReason::ShuttingDown => {
                eprintln!("the server says goodbye: {}", goodbye.message);
                return Ok(());
            }
            Err(status) if refuses(&status) || Instant::now() > give_up => {
                return Err(status).context(address.to_owned());
            }
            ending if pause == 2 * FIRST_PAUSE => {
                // said once: a stream that ends is no news yet
                let problem = ending.map_or_else(|status| status.to_string(), |goodbye| goodbye.message);
                eprintln!("{address} is not there, and is tried again for {} min: {problem}", PATIENCE.as_secs() / 60);
            }
            _ => {}
        }
        tokio::time::sleep(pause).await;
        pause = LAST_PAUSE.min(2 * pause);
    }
}

/// Whether the server refuses the hello for good. Libraries say ResourceExhausted of connections, without a reason.
fn refuses(status: &Status) -> bool {
    let details = String::from_utf8_lossy(status.details());
    let exhausted = status.code() == Code::ResourceExhausted && details.contains("google.rpc.ErrorInfo");
    REFUSALS.contains(&status.code()) || exhausted && !details.contains("google.rpc.RetryInfo")
}

/// One stream after the other.
struct Connection {
    server: ConnectionServiceClient<Channel>,
    authorization: Option<MetadataValue<Ascii>>,
    hello: Hello,
    routes: Routes,
    welcomed: bool,
}

impl Connection {
    /// Answers the calls of one stream until the server says goodbye, or the stream is lost. What is under way then ends,
    /// too: a resumed stream brings its calls again.
    async fn converse(&mut self) -> Result<Goodbye, Status> {
        let (outbox, replies) = mpsc::unbounded();
        let hello = DialInRequest { hello: Some(self.hello.clone()), ..Default::default() };
        let frames = replies.ready_chunks(MAX_REPLIES).map(|replies| DialInRequest { replies, ..Default::default() });
        let mut request = Request::new(stream::iter([hello]).chain(frames));
        if let Some(authorization) = &self.authorization {
            request.metadata_mut().insert("authorization", authorization.clone());
        }
        let mut stream = self.server.dial_in(request).await?.into_inner();
        let mut under_way = JoinMap::new();
        loop {
            tokio::select! {
                frame = stream.message() => {
                    let frame = frame?.ok_or_else(|| Status::unavailable("the server ended the stream"))?;
                    if let Some(welcome) = frame.welcome {
                        self.hello.resume_token = welcome.resume_token;
                        self.welcomed = true;
                    }
                    for call in frame.calls { // all for the one player of the hello, so call.player does not matter
                        under_way.spawn(call.id, answer(self.routes.clone(), call));
                    }
                    for id in &frame.cancelled {
                        under_way.abort(id);
                    }
                    if let Some(goodbye) = frame.goodbye {
                        return Ok(goodbye);
                    }
                }
                Some((id, done)) = under_way.join_next() => {
                    let result = match done {
                        Ok(result) => result,
                        Err(error) if error.is_cancelled() => continue,
                        Err(panic) => Err(Status::internal(panic.to_string())),
                    };
                    let _ = outbox.unbounded_send(reply(id, result)); // fails if the stream is lost, as message() says, too
                }
            }
        }
    }
}

/// Hands a call to the services as if it had come over a connection of its own.
async fn answer(routes: Routes, call: Call) -> Result<Vec<u8>, Status> {
    let path: PathAndQuery = call.method_name.parse().map_err(|_| Status::unimplemented("no such method"))?;
    let mut request = Request::new(call.request);
    if let Some(limit) = call.time_limit.and_then(|limit| limit.try_into().ok()) {
        request.set_timeout(limit);
    }
    let mut services = Grpc::new(routes);
    services.ready().await.map_err(|error| Status::internal(error.to_string()))?;
    Ok(services.unary(request, path, Bytes).await?.into_inner())
}

fn reply(id: u64, result: Result<Vec<u8>, Status>) -> Reply {
    let outcome = match result {
        Ok(response) => Outcome::Response(response),
        Err(status) => Outcome::Failure(Failure {
            code: status.code().into(),
            message: status.message().to_owned(),
            ..Default::default()
        }),
    };
    Reply { id, outcome: Some(outcome), ..Default::default() }
}

/// Leaves messages as they are.
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, message: Vec<u8>, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(&message);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining()).to_vec()))
    }
}
