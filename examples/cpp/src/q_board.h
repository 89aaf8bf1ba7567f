// The map of the Q game, and what fits where.

#ifndef PLAYERS_Q_BOARD_H_
#define PLAYERS_Q_BOARD_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "fairplay/q/v1/q.pb.h"

struct Spot {
  int row, column;
};

inline bool operator<(const Spot& a, const Spot& b) {
  return std::tie(a.row, a.column) < std::tie(b.row, b.column);
}

struct Placement {
  Spot spot;
  int tile;
};

class Board {
 public:
  // Checks what a referee never gets wrong, since whoever calls might be none.
  static std::optional<Board> Read(const fairplay::q::v1::State& state);

  // Places tiles of a hand: first the best placement, then the best one in line with it, and so on.
  std::vector<Placement> Extend(std::vector<int> hand);

 private:
  using Arm = std::vector<int>;

  // Returns the placement of one tile that makes the longest lines, if there is any.
  std::optional<Placement> Best(const std::vector<int>& hand, const std::vector<Placement>& placed) const;

  // Returns the free spots beside a tile that share a row, or share a column, with all that were placed before.
  std::set<Spot> Spots(const std::vector<Placement>& placed) const;

  // Returns whether a tile may lie on a free spot: its row and its column are looked at separately.
  bool Fits(const Spot& spot, int tile) const;
  bool FitsLine(int tile, const Arm& before, const Arm& behind) const;

  // Returns what lies beside a spot without a gap, nearest first.
  Arm Beside(const Spot& spot, int down, int right) const;

  // Returns how many tiles lie in the lines that a tile on a spot would join.
  size_t Length(const Spot& spot) const;

  std::map<Spot, int> tiles_;
  bool qwirkle_ = false;
};

#endif  // PLAYERS_Q_BOARD_H_
