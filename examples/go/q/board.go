package main

import (
	"cmp"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	q "example.com/players/gen/fairplay/q/v1"
)

const farthest = 1_000_000 // from row and column 0

type spot struct{ row, column int32 }

// board is the map, and the rule by which tiles fit.
type board struct {
	tiles   map[spot]q.Tile
	qwirkle bool
}

// read checks what a referee never gets wrong, since whoever calls might be none.
func read(state *q.State) (*board, error) {
	rows, columns, tiles := state.GetRows(), state.GetColumns(), state.GetTiles()
	if len(rows) != len(tiles) || len(columns) != len(tiles) || len(state.GetPlayers()) == 0 {
		return nil, status.Error(codes.InvalidArgument, "a state has as many rows as columns and tiles, and players")
	}
	b := &board{tiles: map[spot]q.Tile{}, qwirkle: state.FitRule == q.FitRule_FIT_RULE_QWIRKLE}
	for n, tile := range tiles {
		b.tiles[spot{rows[n], columns[n]}] = tile
	}
	return b, nil
}

// extension is what to place from a hand: the best placement, then the best one in line with it, and so on. Puts them
// on the board, too.
func (b *board) extension(hand []q.Tile) []*q.Placement {
	hand = slices.Clone(hand)
	var placements []*q.Placement
	var placed []spot
	for {
		at, tile, found := b.best(hand, placed)
		if !found {
			return placements
		}
		b.tiles[at] = tile
		placed = append(placed, at)
		placements = append(placements, &q.Placement{Row: &at.row, Column: &at.column, Tile: tile})
		n := slices.Index(hand, tile)
		hand = slices.Delete(hand, n, n+1)
	}
}

// best is the placement of one tile that makes the longest lines. found: whether there is any.
func (b *board) best(hand []q.Tile, placed []spot) (at spot, tile q.Tile, found bool) {
	kinds := slices.Clone(hand)
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	most := -1
	for _, spot := range b.spots(placed) {
		length := b.length(spot)
		for _, kind := range kinds {
			if length > most && b.fits(spot, kind) {
				at, tile, found, most = spot, kind, true, length
			}
		}
	}
	return at, tile, found
}

// spots are the free ones beside a tile that share a row, or share a column, with all that were placed before; sorted,
// so that the same state gets the same answer.
func (b *board) spots(placed []spot) []spot {
	found := map[spot]bool{}
	for s := range b.tiles {
		for _, step := range []spot{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			found[spot{s.row + step.row, s.column + step.column}] = true
		}
	}
	var spots []spot
	for s := range found {
		_, occupied := b.tiles[s]
		inRange := min(s.row, s.column) >= -farthest && max(s.row, s.column) <= farthest
		oneRow := !slices.ContainsFunc(placed, func(other spot) bool { return other.row != s.row })
		oneColumn := !slices.ContainsFunc(placed, func(other spot) bool { return other.column != s.column })
		if !occupied && inRange && (oneRow || oneColumn) {
			spots = append(spots, s)
		}
	}
	slices.SortFunc(spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.column, b.column))
	})
	return spots
}

// fits says whether a tile may lie on a free spot: its row and its column are looked at separately.
func (b *board) fits(at spot, tile q.Tile) bool {
	return known(tile) && b.fitsLine(tile, b.line(at, spot{0, 1})) && b.fitsLine(tile, b.line(at, spot{1, 0}))
}

func (b *board) fitsLine(tile q.Tile, line [2][]q.Tile) bool {
	var others []q.Tile
	for _, arm := range line {
		if !b.qwirkle && len(arm) > 1 {
			arm = arm[:1] // only the neighbours count
		}
		others = append(others, arm...)
	}
	unlikeShape := func(other q.Tile) bool { return !known(other) || (other-1)/6 != (tile-1)/6 }
	unlikeColour := func(other q.Tile) bool { return !known(other) || (other-1)%6 != (tile-1)%6 }
	if slices.ContainsFunc(others, unlikeShape) && slices.ContainsFunc(others, unlikeColour) {
		return false
	}
	return !b.qwirkle || distinct(append(others, tile))
}

// line is what lies beside a spot without a gap, nearest first: in the direction of step, and in the opposite one.
func (b *board) line(at, step spot) (arms [2][]q.Tile) {
	for arm, sign := range [2]int32{1, -1} {
		for n := sign; ; n += sign {
			tile, found := b.tiles[spot{at.row + n*step.row, at.column + n*step.column}]
			if !found {
				break
			}
			arms[arm] = append(arms[arm], tile)
		}
	}
	return arms
}

// length is how many tiles lie in the lines that a tile on a spot would join.
func (b *board) length(at spot) int {
	row, column := b.line(at, spot{0, 1}), b.line(at, spot{1, 0})
	return len(row[0]) + len(row[1]) + len(column[0]) + len(column[1])
}

// known says whether a number is that of a tile. Later revisions may have more, and other things may not be tiles.
func known(tile q.Tile) bool {
	return tile >= q.Tile_TILE_RED_STAR && tile <= q.Tile_TILE_PURPLE_DIAMOND
}

func distinct(tiles []q.Tile) bool {
	seen := map[q.Tile]bool{}
	for _, tile := range tiles {
		if seen[tile] {
			return false
		}
		seen[tile] = true
	}
	return true
}
