// Program fish plays Fish. It goes for tiles with many fish, and stays where it can move far.
package main

import (
	"google.golang.org/grpc"

	fish "example.com/players/gen/fairplay/fish/v1"
	fairplay "example.com/players/gen/fairplay/v1"
	"example.com/players/link"
)

func main() {
	description := &fairplay.PlayerDescription{
		DisplayName:     "Fish in Go",
		SoftwareVersion: "1",
		Services:        []*fairplay.GameService{{Name: fish.FishPlayerService_ServiceDesc.ServiceName, Revision: 1}},
	}
	link.Main(description, func(to grpc.ServiceRegistrar) { fish.RegisterFishPlayerServiceServer(to, player{}) })
}
