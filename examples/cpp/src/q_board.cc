#include "q_board.h"

#include <algorithm>
#include <cstdlib>

namespace {

constexpr int kFarthest = 1'000'000;  // from row and column 0
constexpr struct {
  int down, right;
} kSides[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

bool InRange(const Spot& spot) { return std::abs(spot.row) <= kFarthest && std::abs(spot.column) <= kFarthest; }

// Returns whether a number is that of a tile. Later revisions may have more, and other things may not be tiles.
bool IsTile(int tile) {
  return tile >= fairplay::q::v1::TILE_RED_STAR && tile <= fairplay::q::v1::TILE_PURPLE_DIAMOND;
}

int Shape(int tile) { return (tile - 1) / 6; }

int Colour(int tile) { return (tile - 1) % 6; }

}  // namespace

std::optional<Board> Board::Read(const fairplay::q::v1::State& state) {
  const int count = state.tiles_size();
  if (state.rows_size() != count || state.columns_size() != count || state.players().empty()) return std::nullopt;
  Board board;
  board.qwirkle_ = state.fit_rule() == fairplay::q::v1::FIT_RULE_QWIRKLE;
  for (int n = 0; n < count; ++n) board.tiles_[{state.rows(n), state.columns(n)}] = state.tiles(n);
  return board;
}

std::vector<Placement> Board::Extend(std::vector<int> hand) {
  std::vector<Placement> placed;
  while (const std::optional<Placement> best = Best(hand, placed)) {
    tiles_[best->spot] = best->tile;
    placed.push_back(*best);
    hand.erase(std::find(hand.begin(), hand.end(), best->tile));
  }
  return placed;
}

std::optional<Placement> Board::Best(const std::vector<int>& hand, const std::vector<Placement>& placed) const {
  const std::set<int> kinds(hand.begin(), hand.end());
  std::optional<Placement> best;
  size_t longest = 0;
  for (const Spot& spot : Spots(placed)) {
    const size_t length = Length(spot);
    if (length <= longest) continue;
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](int tile) { return Fits(spot, tile); });
    if (kind == kinds.end()) continue;
    best = Placement{spot, *kind};
    longest = length;
  }
  return best;
}

std::set<Spot> Board::Spots(const std::vector<Placement>& placed) const {
  std::set<Spot> found;
  for (const auto& [tile_spot, tile] : tiles_) {
    for (const auto& [down, right] : kSides) {
      const Spot spot{tile_spot.row + down, tile_spot.column + right};
      const auto in_row = [&](const Placement& other) { return other.spot.row == spot.row; };
      const auto in_column = [&](const Placement& other) { return other.spot.column == spot.column; };
      if (InRange(spot) && tiles_.count(spot) == 0 &&
          (std::all_of(placed.begin(), placed.end(), in_row) || std::all_of(placed.begin(), placed.end(), in_column))) {
        found.insert(spot);
      }
    }
  }
  return found;
}

bool Board::Fits(const Spot& spot, int tile) const {
  return IsTile(tile) && FitsLine(tile, Beside(spot, 0, -1), Beside(spot, 0, 1)) &&
         FitsLine(tile, Beside(spot, -1, 0), Beside(spot, 1, 0));
}

bool Board::FitsLine(int tile, const Arm& before, const Arm& behind) const {
  std::vector<int> others;
  for (const Arm& arm : {before, behind}) {
    const size_t count = qwirkle_ ? arm.size() : std::min<size_t>(arm.size(), 1);  // of Q only the neighbours count
    others.insert(others.end(), arm.begin(), arm.begin() + count);
  }
  const auto same_shape = [&](int other) { return Shape(other) == Shape(tile); };
  const auto same_colour = [&](int other) { return Colour(other) == Colour(tile); };
  if (!std::all_of(others.begin(), others.end(), IsTile)) return false;
  if (!std::all_of(others.begin(), others.end(), same_shape) &&
      !std::all_of(others.begin(), others.end(), same_colour)) {
    return false;
  }
  std::set<int> distinct(others.begin(), others.end());
  return !qwirkle_ || (distinct.insert(tile).second && distinct.size() == others.size() + 1);
}

Board::Arm Board::Beside(const Spot& spot, int down, int right) const {
  Arm arm;
  for (auto next = tiles_.find({spot.row + down, spot.column + right}); next != tiles_.end();
       next = tiles_.find({next->first.row + down, next->first.column + right})) {
    arm.push_back(next->second);
  }
  return arm;
}

size_t Board::Length(const Spot& spot) const {
  size_t length = 0;
  for (const auto& [down, right] : kSides) length += Beside(spot, down, right).size();
  return length;
}
