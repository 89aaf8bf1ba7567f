// Goes for tiles with many fish, and stays where it can move far.

#ifndef PLAYERS_FISH_PLAYER_H_
#define PLAYERS_FISH_PLAYER_H_

#include <optional>
#include <set>
#include <vector>

#include "fairplay/fish/v1/fish_player.grpc.pb.h"

namespace players {

namespace fish = fairplay::fish::v1;
using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

struct Step {
  int down, right;
};

// The steps to the next tile N, NE, SE, S, SW, NW: from an even row, from an odd row.
constexpr Step kSteps[2][6] = {
    {{-2, 0}, {-1, 0}, {1, 0}, {2, 0}, {1, -1}, {-1, -1}},
    {{-2, 0}, {-1, 1}, {1, 1}, {2, 0}, {1, 0}, {-1, 0}},
};

// What matters of a state. Cells are numbered row by row, from 0.
class Board {
 public:
  // Checks what a referee never gets wrong, since whoever calls might be none.
  static std::optional<Board> Read(const fish::State& state) {
    const int cells = state.fish_size();
    if (state.columns() == 0 || cells % state.columns() != 0 || state.players().empty()) return std::nullopt;
    Board board(state);
    for (const fish::Player& player : state.players()) {
      for (const uint32_t place : player.places()) {
        if (place >= static_cast<uint32_t>(cells)) return std::nullopt;
        board.taken_.insert(static_cast<int>(place));
      }
    }
    return board;
  }

  int Cells() const { return static_cast<int>(fish_.size()); }

  int Fish(int cell) const { return static_cast<int>(fish_[cell]); }

  // Returns whether a cell has a tile and no penguin.
  bool IsFree(int cell) const { return cell >= 0 && cell < Cells() && Fish(cell) > 0 && taken_.count(cell) == 0; }

  // Returns the cells that can be reached from a cell in one move.
  std::vector<int> Targets(int source) const {
    std::vector<int> found;
    for (int direction = 0; direction < 6; ++direction) {
      int row = source / columns_, column = source % columns_;
      while (true) {
        const Step& step = kSteps[row % 2][direction];
        row += step.down;
        column += step.right;
        const int cell = row * columns_ + column;
        if (row < 0 || column < 0 || column >= columns_ || !IsFree(cell)) break;
        found.push_back(cell);
      }
    }
    return found;
  }

  // Returns what it is worth to stand on a cell: its fish, and how far one can go from there.
  int Worth(int cell) const { return Fish(cell) + static_cast<int>(Targets(cell).size()); }

 private:
  explicit Board(const fish::State& state)
      : columns_(static_cast<int>(state.columns())), fish_(state.fish().begin(), state.fish().end()) {}

  int columns_;
  std::vector<uint32_t> fish_;
  std::set<int> taken_;  // the cells with a penguin
};

const Status kInvalidState(StatusCode::INVALID_ARGUMENT, "a state has full rows, players, and penguins on its cells");

// Has one method for each call of the game. It remembers nothing, so it can be in many games at once.
class FishPlayer final : public fish::FishPlayerService::Service {
  // Each state says it again: the called player comes first there.
  Status PlayAs(ServerContext*, const fish::PlayAsRequest*, fish::PlayAsResponse*) override { return Status::OK; }

  Status PlayWith(ServerContext*, const fish::PlayWithRequest*, fish::PlayWithResponse*) override { return Status::OK; }

  Status Setup(ServerContext*, const fish::SetupRequest* request, fish::SetupResponse* response) override {
    const std::optional<Board> board = Board::Read(request->state());
    if (!board) return kInvalidState;
    int best = -1;
    for (int cell = 0; cell < board->Cells(); ++cell) {
      if (!board->IsFree(cell) || board->Worth(cell) <= best) continue;
      best = board->Worth(cell);
      response->set_place(cell);
    }
    return best < 0 ? Status(StatusCode::FAILED_PRECONDITION, "no tile is free") : Status::OK;
  }

  Status TakeTurn(ServerContext*, const fish::TakeTurnRequest* request, fish::TakeTurnResponse* response) override {
    const std::optional<Board> board = Board::Read(request->state());
    if (!board) return kInvalidState;
    int best = -1;
    for (const uint32_t source : request->state().players(0).places()) {
      for (const int target : board->Targets(static_cast<int>(source))) {
        // The tile that the penguin leaves is won now; the one that it reaches can be won next.
        const int value = 2 * board->Fish(static_cast<int>(source)) + board->Worth(target);
        if (value <= best) continue;
        best = value;
        response->mutable_action()->set_source(source);
        response->mutable_action()->set_target(target);
      }
    }
    return best < 0 ? Status(StatusCode::FAILED_PRECONDITION, "no penguin of mine can move") : Status::OK;
  }
};

}  // namespace players

#endif  // PLAYERS_FISH_PLAYER_H_
