//! Plays the Q game. Places tiles, each where it makes the longest lines, for as long as one fits.

use players::proto::fairplay::{GameService, PlayerDescription};
use players::proto::q::action::Choice;
use players::proto::q::q_player_service_server::{self, QPlayerService, QPlayerServiceServer};
use players::proto::q::{
    Action, Extension, NewTilesRequest, NewTilesResponse, Pass, Replace, SetupRequest, SetupResponse, TakeTurnRequest,
    TakeTurnResponse, WinRequest, WinResponse,
};
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use board::Board;

mod board;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let description = PlayerDescription {
        display_name: "Q in Rust".into(),
        software_version: env!("CARGO_PKG_VERSION").into(),
        services: vec![GameService {
            name: q_player_service_server::SERVICE_NAME.into(),
            revision: 1,
            ..Default::default()
        }],
        ..Default::default()
    };
    players::run(description, Routes::new(QPlayerServiceServer::new(Player))).await
}

/// Has one method for each call of the game. It remembers nothing, so it can be in many games at once.
struct Player;

#[tonic::async_trait]
impl QPlayerService for Player {
    /// The state of a turn says all of it again.
    async fn setup(&self, _: Request<SetupRequest>) -> Result<Response<SetupResponse>, Status> {
        Ok(Response::new(SetupResponse::default()))
    }

    async fn take_turn(&self, request: Request<TakeTurnRequest>) -> Result<Response<TakeTurnResponse>, Status> {
        let state = request.into_inner().state.unwrap_or_default();
        let mut board = Board::read(&state)?;
        let hand = &state.players[0].hand;
        let placements = board.extend(hand);
        let choice = if !placements.is_empty() {
            Choice::Extension(Extension { placements, ..Default::default() })
        } else if state.pile_left as usize >= hand.len() {
            Choice::Replace(Replace::default())
        } else {
            Choice::PassTurn(Pass::default())
        };
        let action = Action { choice: Some(choice), ..Default::default() };
        Ok(Response::new(TakeTurnResponse { action: Some(action), ..Default::default() }))
    }

    async fn new_tiles(&self, _: Request<NewTilesRequest>) -> Result<Response<NewTilesResponse>, Status> {
        Ok(Response::new(NewTilesResponse::default()))
    }

    async fn win(&self, _: Request<WinRequest>) -> Result<Response<WinResponse>, Status> {
        Ok(Response::new(WinResponse::default()))
    }
}
