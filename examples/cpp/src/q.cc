// Plays the Q game. Places tiles, each where it makes the longest lines, for as long as one fits.

#include <optional>
#include <vector>

#include "fairplay/q/v1/q_player.grpc.pb.h"
#include "link.h"
#include "q_board.h"

namespace {

namespace q = fairplay::q::v1;
using grpc::ServerContext;
using grpc::Status;

// Has one method for each call of the game. It remembers nothing, so it can be in many games at once.
class Player final : public q::QPlayerService::Service {
  // The state of a turn says all of it again.
  Status Setup(ServerContext*, const q::SetupRequest*, q::SetupResponse*) override { return Status::OK; }

  Status TakeTurn(ServerContext*, const q::TakeTurnRequest* request, q::TakeTurnResponse* response) override {
    const q::State& state = request->state();
    std::optional<Board> board = Board::Read(state);
    if (!board) {
      return Status(grpc::StatusCode::INVALID_ARGUMENT, "a state has a row and a column for each tile, and players");
    }
    const auto& hand = state.players(0).hand();
    const std::vector<Placement> placements = board->Extend({hand.begin(), hand.end()});
    q::Action* action = response->mutable_action();
    if (!placements.empty()) {
      for (const Placement& placement : placements) {
        q::Placement* placed = action->mutable_extension()->add_placements();
        placed->set_row(placement.spot.row);
        placed->set_column(placement.spot.column);
        placed->set_tile(static_cast<q::Tile>(placement.tile));
      }
    } else if (state.pile_left() >= static_cast<uint32_t>(hand.size())) {
      action->mutable_replace();
    } else {
      action->mutable_pass_turn();
    }
    return Status::OK;
  }

  Status NewTiles(ServerContext*, const q::NewTilesRequest*, q::NewTilesResponse*) override { return Status::OK; }

  Status Win(ServerContext*, const q::WinRequest*, q::WinResponse*) override { return Status::OK; }
};

}  // namespace

int main(int argc, char** argv) {
  Player player;
  const auto description = players::Describe("Q in C++", q::QPlayerService::service_full_name());
  return players::Run(argc, argv, description, player);
}
