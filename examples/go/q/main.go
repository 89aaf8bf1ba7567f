// Program q plays the Q game. It places tiles, each where it makes the longest lines, for as long as one fits.
package main

import (
	"context"

	"google.golang.org/grpc"

	q "example.com/players/gen/fairplay/q/v1"
	fairplay "example.com/players/gen/fairplay/v1"
	"example.com/players/link"
)

func main() {
	description := &fairplay.PlayerDescription{
		DisplayName:     "Q in Go",
		SoftwareVersion: "1",
		Services:        []*fairplay.GameService{{Name: q.QPlayerService_ServiceDesc.ServiceName, Revision: 1}},
	}
	link.Main(description, func(to grpc.ServiceRegistrar) { q.RegisterQPlayerServiceServer(to, player{}) })
}

// player has one method for each call of the game. It remembers nothing, so it can be in many games at once.
type player struct {
	q.UnimplementedQPlayerServiceServer // for methods that later revisions add
}

func (player) Setup(context.Context, *q.SetupRequest) (*q.SetupResponse, error) {
	return &q.SetupResponse{}, nil // the state of a turn says all of it again
}

func (player) NewTiles(context.Context, *q.NewTilesRequest) (*q.NewTilesResponse, error) {
	return &q.NewTilesResponse{}, nil
}

func (player) Win(context.Context, *q.WinRequest) (*q.WinResponse, error) {
	return &q.WinResponse{}, nil
}

func (player) TakeTurn(_ context.Context, request *q.TakeTurnRequest) (*q.TakeTurnResponse, error) {
	state := request.State
	b, err := read(state)
	if err != nil {
		return nil, err
	}
	action := &q.Action{Choice: &q.Action_PassTurn{PassTurn: &q.Pass{}}}
	hand := state.Players[0].Hand
	if placements := b.extension(hand); len(placements) > 0 {
		action.Choice = &q.Action_Extension{Extension: &q.Extension{Placements: placements}}
	} else if int(state.PileLeft) >= len(hand) {
		action.Choice = &q.Action_Replace{Replace: &q.Replace{}}
	}
	return &q.TakeTurnResponse{Action: action}, nil
}
