//! Goes for tiles with many fish, and stays where it can move far.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::iter::successors;

use players::proto::fish::fish_player_service_server::FishPlayerService;
use players::proto::fish::{
    Action, PlayAsRequest, PlayAsResponse, PlayWithRequest, PlayWithResponse, SetupRequest, SetupResponse, State,
    TakeTurnRequest, TakeTurnResponse,
};
use tonic::{Request, Response, Status};

/// Has one method for each call of the game. It remembers nothing, so it can be in many games at once.
pub struct Player;

#[tonic::async_trait]
impl FishPlayerService for Player {
    /// Each state says it again: the called player comes first there.
    async fn play_as(&self, _: Request<PlayAsRequest>) -> Result<Response<PlayAsResponse>, Status> {
        Ok(Response::new(PlayAsResponse::default()))
    }

    async fn play_with(&self, _: Request<PlayWithRequest>) -> Result<Response<PlayWithResponse>, Status> {
        Ok(Response::new(PlayWithResponse::default()))
    }

    async fn setup(&self, request: Request<SetupRequest>) -> Result<Response<SetupResponse>, Status> {
        let state = request.into_inner().state.unwrap_or_default();
        let board = Board::read(&state)?;
        let place = (0..board.fish.len())
            .filter(|&cell| board.is_free(cell))
            .max_by_key(|&cell| (board.worth(cell), Reverse(cell)))
            .ok_or_else(|| Status::failed_precondition("no tile is free"))?;
        Ok(Response::new(SetupResponse { place: Some(place as u32), ..Default::default() }))
    }

    async fn take_turn(&self, request: Request<TakeTurnRequest>) -> Result<Response<TakeTurnResponse>, Status> {
        let state = request.into_inner().state.unwrap_or_default();
        let board = Board::read(&state)?;
        let (source, target) = state.players[0]
            .places
            .iter()
            .map(|&place| place as usize)
            .flat_map(|source| board.targets(source).into_iter().map(move |target| (source, target)))
            // The tile that the penguin leaves is won now; the one that it reaches can be won next.
            .max_by_key(|&(source, target)| (2 * board.fish[source] as usize + board.worth(target), Reverse(target)))
            .ok_or_else(|| Status::failed_precondition("no penguin of mine can move"))?;
        let action = Action { source: Some(source as u32), target: Some(target as u32), ..Default::default() };
        Ok(Response::new(TakeTurnResponse { action: Some(action), ..Default::default() }))
    }
}

/// The steps as (rows down, columns right) to the next tile N, NE, SE, S, SW, NW: from an even row, from an odd row.
const STEPS: [[(isize, isize); 6]; 2] =
    [[(-2, 0), (-1, 0), (1, 0), (2, 0), (1, -1), (-1, -1)], [(-2, 0), (-1, 1), (1, 1), (2, 0), (1, 0), (-1, 0)]];

/// What matters of a state. Cells are numbered row by row, from 0.
struct Board<'a> {
    columns: usize,
    fish: &'a [u32],
    /// The cells with a penguin.
    taken: HashSet<usize>,
}

impl<'a> Board<'a> {
    /// Checks what a referee never gets wrong, since whoever calls might be none.
    fn read(state: &'a State) -> Result<Self, Status> {
        let columns = state.columns as usize;
        if columns == 0 || !state.fish.len().is_multiple_of(columns) || state.players.is_empty() {
            return Err(Status::invalid_argument("a state has full rows, and players"));
        }
        let taken: HashSet<_> =
            state.players.iter().flat_map(|player| &player.places).map(|&place| place as usize).collect();
        match taken.iter().find(|&&cell| cell >= state.fish.len()) {
            Some(cell) => Err(Status::invalid_argument(format!("there is no cell {cell}"))),
            None => Ok(Self { columns, fish: &state.fish, taken }),
        }
    }

    /// Returns whether a cell has a tile and no penguin.
    fn is_free(&self, cell: usize) -> bool {
        self.fish.get(cell).is_some_and(|&fish| fish > 0) && !self.taken.contains(&cell)
    }

    /// Returns the cell one step further, if it is free.
    fn next(&self, cell: usize, direction: usize) -> Option<usize> {
        let (row, column) = (cell / self.columns, cell % self.columns);
        let (down, right) = STEPS[row % 2][direction];
        let row = row.checked_add_signed(down)?;
        let column = column.checked_add_signed(right).filter(|&column| column < self.columns)?;
        Some(row * self.columns + column).filter(|&cell| self.is_free(cell))
    }

    /// Returns the cells that can be reached from a cell in one move.
    fn targets(&self, source: usize) -> Vec<usize> {
        (0..6)
            .flat_map(|direction| successors(self.next(source, direction), move |&cell| self.next(cell, direction)))
            .collect()
    }

    /// Returns what it is worth to stand on a cell: its fish, and how far one can go from there.
    fn worth(&self, cell: usize) -> usize {
        self.fish[cell] as usize + self.targets(cell).len()
    }
}
