use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;

use players::proto::q::{FitRule, Placement, State};
use tonic::Status;

/// The rows and the columns that there are.
const RANGE: RangeInclusive<i32> = -1_000_000..=1_000_000;
/// The numbers of tiles. Later revisions may have more, and other things may not be tiles.
const TILES: RangeInclusive<i32> = 1..=36;

type Spot = (i32, i32);

/// The map, and the rule by which tiles fit.
pub struct Board {
    tiles: BTreeMap<Spot, i32>,
    qwirkle: bool,
}

impl Board {
    /// Checks what a referee never gets wrong, since whoever calls might be none.
    pub fn read(state: &State) -> Result<Self, Status> {
        let (rows, columns, tiles) = (&state.rows, &state.columns, &state.tiles);
        if rows.len() != tiles.len() || columns.len() != tiles.len() || state.players.is_empty() {
            return Err(Status::invalid_argument("a state has as many rows as columns and tiles, and players"));
        }
        if !rows.iter().chain(columns).all(|number| RANGE.contains(number)) {
            return Err(Status::invalid_argument("a row or a column is too far away"));
        }
        let spots = rows.iter().copied().zip(columns.iter().copied());
        Ok(Self { tiles: spots.zip(tiles.iter().copied()).collect(), qwirkle: state.fit_rule() == FitRule::Qwirkle })
    }

    /// Places tiles of a hand: first the best placement, then the best one in line with it, and so on.
    pub fn extend(&mut self, hand: &[i32]) -> Vec<Placement> {
        let mut hand = hand.to_vec();
        let mut placed: Vec<Spot> = Vec::new();
        let mut placements = Vec::new();
        while let Some((spot, n)) = self.best(&hand, &placed) {
            let tile = hand.swap_remove(n);
            self.tiles.insert(spot, tile);
            placed.push(spot);
            placements.push(Placement { row: Some(spot.0), column: Some(spot.1), tile, ..Default::default() });
        }
        placements
    }

    /// Returns where to place which tile of a hand to make the longest lines, if there is any way.
    fn best(&self, hand: &[i32], placed: &[Spot]) -> Option<(Spot, usize)> {
        let choices = self.spots(placed).into_iter().flat_map(|spot| (0..hand.len()).map(move |n| (spot, n)));
        choices
            .filter(|&(spot, n)| self.fits(spot, hand[n]))
            .max_by_key(|&(spot, n)| (self.length(spot), Reverse((spot, hand[n]))))
    }

    /// Returns the free spots beside a tile that share a row, or share a column, with all that were placed before.
    fn spots(&self, placed: &[Spot]) -> BTreeSet<Spot> {
        let beside = self
            .tiles
            .keys()
            .flat_map(|&(row, column)| [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]);
        beside
            .filter(|spot| !self.tiles.contains_key(spot) && RANGE.contains(&spot.0) && RANGE.contains(&spot.1))
            .filter(|spot| placed.iter().all(|other| other.0 == spot.0) || placed.iter().all(|other| other.1 == spot.1))
            .collect()
    }

    /// Returns whether a tile may lie on a free spot: its row and its column are looked at separately.
    fn fits(&self, spot: Spot, tile: i32) -> bool {
        TILES.contains(&tile) && self.lines(spot).iter().all(|line| self.fits_line(tile, line))
    }

    fn fits_line(&self, tile: i32, line: &[Vec<i32>; 2]) -> bool {
        let nearest = if self.qwirkle { usize::MAX } else { 1 }; // of Q only the neighbours count
        let others: Vec<i32> = line.iter().flat_map(|arm| arm.iter().take(nearest)).copied().collect();
        others.iter().all(|other| TILES.contains(other))
            && (others.iter().all(|&other| shape(other) == shape(tile))
                || others.iter().all(|&other| colour(other) == colour(tile)))
            && (!self.qwirkle || others.iter().chain([&tile]).collect::<HashSet<_>>().len() == others.len() + 1)
    }

    /// Returns the row and the column of a spot, each as what lies there without a gap on both sides, nearest first.
    fn lines(&self, spot: Spot) -> [[Vec<i32>; 2]; 2] {
        [[self.arm(spot, (0, -1)), self.arm(spot, (0, 1))], [self.arm(spot, (-1, 0)), self.arm(spot, (1, 0))]]
    }

    fn arm(&self, (row, column): Spot, (down, right): Spot) -> Vec<i32> {
        (1..).map_while(|n| self.tiles.get(&(row + n * down, column + n * right)).copied()).collect()
    }

    /// Returns how many tiles lie in the lines that a tile on a spot would join.
    fn length(&self, spot: Spot) -> usize {
        self.lines(spot).iter().flatten().map(Vec::len).sum()
    }
}

fn shape(tile: i32) -> i32 {
    (tile - 1) / 6
}

fn colour(tile: i32) -> i32 {
    (tile - 1) % 6
}
