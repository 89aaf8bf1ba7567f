// Connects a player with the server of its games, in both ways that there are. It knows no game.

#ifndef PLAYERS_LINK_H_
#define PLAYERS_LINK_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "fairplay/v1/connection.pb.h"
#include "fairplay/v1/player.pb.h"

namespace players {

// Returns the description of a player of one game.
fairplay::v1::PlayerDescription Describe(const std::string& display_name, const std::string& service);

// Runs a player until the server says goodbye, or for as long as it serves. `game` is the service of its game. Returns
// the exit code.
int Run(int argc, char** argv, const fairplay::v1::PlayerDescription& description, grpc::Service& game);

// Dials in and answers calls until the server says that the player is no longer needed; opens another stream when one
// is lost. `player` leads to the services of the player, in this program.
grpc::Status DialIn(const std::string& address, const fairplay::v1::HostedPlayer& hosted,
                    const std::shared_ptr<grpc::Channel>& player);

}  // namespace players

#endif  // PLAYERS_LINK_H_
