package main

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	fish "example.com/players/gen/fairplay/fish/v1"
)

// player has one method for each call of the game. It remembers nothing, so it can be in many games at once.
type player struct {
	fish.UnimplementedFishPlayerServiceServer // for methods that later revisions add
}

func (player) PlayAs(context.Context, *fish.PlayAsRequest) (*fish.PlayAsResponse, error) {
	return &fish.PlayAsResponse{}, nil // each state says it again: the called player comes first there
}

func (player) PlayWith(context.Context, *fish.PlayWithRequest) (*fish.PlayWithResponse, error) {
	return &fish.PlayWithResponse{}, nil
}

func (player) Setup(_ context.Context, request *fish.SetupRequest) (*fish.SetupResponse, error) {
	b, err := read(request.State)
	if err != nil {
		return nil, err
	}
	place, best := 0, -1
	for cell := range b.fish {
		if b.free(cell) && b.worth(cell) > best {
			place, best = cell, b.worth(cell)
		}
	}
	if best < 0 {
		return nil, status.Error(codes.FailedPrecondition, "no tile is free")
	}
	number := uint32(place)
	return &fish.SetupResponse{Place: &number}, nil
}

func (player) TakeTurn(_ context.Context, request *fish.TakeTurnRequest) (*fish.TakeTurnResponse, error) {
	b, err := read(request.State)
	if err != nil {
		return nil, err
	}
	var action *fish.Action
	best := -1
	for _, source := range request.State.Players[0].Places {
		for _, cell := range b.targets(int(source)) {
			// The tile that the penguin leaves is won now; the one that it reaches can be won next.
			if value := 2*int(b.fish[source]) + b.worth(cell); value > best {
				target := uint32(cell)
				action, best = &fish.Action{Source: &source, Target: &target}, value
			}
		}
	}
	if action == nil {
		return nil, status.Error(codes.FailedPrecondition, "no penguin of mine can move")
	}
	return &fish.TakeTurnResponse{Action: action}, nil
}

// board is what matters of a state. Cells are numbered row by row, from 0.
type board struct {
	columns int
	fish    []uint32
	taken   map[uint32]bool // the cells with a penguin
}

// read checks what a referee never gets wrong, since whoever calls might be none.
func read(state *fish.State) (*board, error) {
	columns, cells := int(state.GetColumns()), len(state.GetFish())
	if columns == 0 || cells%columns != 0 || len(state.GetPlayers()) == 0 {
		return nil, status.Error(codes.InvalidArgument, "a state has full rows, and players")
	}
	taken := map[uint32]bool{}
	for _, player := range state.Players {
		for _, place := range player.Places {
			if int(place) >= cells {
				return nil, status.Errorf(codes.InvalidArgument, "there is no cell %d", place)
			}
			taken[place] = true
		}
	}
	return &board{columns, state.Fish, taken}, nil
}

// free says whether a cell has a tile and no penguin.
func (b *board) free(cell int) bool {
	return cell >= 0 && cell < len(b.fish) && b.fish[cell] > 0 && !b.taken[uint32(cell)]
}

// steps are (rows down, columns right) to the next tile N, NE, SE, S, SW, NW: from an even row, from an odd row.
var steps = [2][6][2]int{
	{{-2, 0}, {-1, 0}, {1, 0}, {2, 0}, {1, -1}, {-1, -1}},
	{{-2, 0}, {-1, 1}, {1, 1}, {2, 0}, {1, 0}, {-1, 0}},
}

// targets are the cells that can be reached from a cell in one move.
func (b *board) targets(source int) []int {
	var found []int
	for direction := range 6 {
		row, column := source/b.columns, source%b.columns
		for {
			step := steps[row%2][direction]
			row, column = row+step[0], column+step[1]
			cell := row*b.columns + column
			if column < 0 || column >= b.columns || !b.free(cell) {
				break
			}
			found = append(found, cell)
		}
	}
	return found
}

// worth is what it is worth to stand on a cell: its fish, and how far one can go from there.
func (b *board) worth(cell int) int {
	return int(b.fish[cell]) + len(b.targets(cell))
}
