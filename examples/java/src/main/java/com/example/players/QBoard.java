package com.example.players;

import com.fairplay.q.v1.FitRule;
import com.fairplay.q.v1.Placement;
import com.fairplay.q.v1.State;
import com.fairplay.q.v1.Tile;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The map of a Q game, and the rule by which tiles fit. */
final class QBoard {
    private static final int FARTHEST = 1_000_000; // from row and column 0

    private record Spot(int row, int column) {
        Spot plus(Spot step) {
            return new Spot(row + step.row, column + step.column);
        }

        boolean isInRange() {
            return Math.max(Math.abs(row), Math.abs(column)) <= FARTHEST;
        }
    }

    private record Move(Spot spot, Tile tile) {}

    private static final List<Spot> ALONG_ROW = List.of(new Spot(0, -1), new Spot(0, 1));
    private static final List<Spot> ALONG_COLUMN = List.of(new Spot(-1, 0), new Spot(1, 0));
    private static final List<Spot> ALL_STEPS =
            Stream.of(ALONG_ROW, ALONG_COLUMN).flatMap(List::stream).toList();

    private final Map<Spot, Tile> tiles = new HashMap<>();
    private final boolean qwirkle;

    private QBoard(boolean qwirkle) {
        this.qwirkle = qwirkle;
    }

    /** Checks what a referee never gets wrong, since whoever calls might be none. */
    static QBoard of(State state) {
        int count = state.getTilesCount();
        if (state.getRowsCount() != count || state.getColumnsCount() != count || state.getPlayersCount() == 0) {
            throw Status.INVALID_ARGUMENT
                    .withDescription("a state has as many rows as columns and tiles, and players")
                    .asRuntimeException();
        }
        QBoard board = new QBoard(state.getFitRule() == FitRule.FIT_RULE_QWIRKLE);
        for (int n = 0; n < count; n++) {
            board.tiles.put(new Spot(state.getRows(n), state.getColumns(n)), state.getTiles(n));
        }
        return board;
    }

    /** Places the best tile of a hand, then the best one in line with it, and so on; returns what was placed. */
    List<Placement> place(List<Tile> hand) {
        List<Tile> left = new ArrayList<>(hand);
        List<Move> moves = new ArrayList<>();
        for (var best = best(left, moves); best.isPresent(); best = best(left, moves)) {
            Move move = best.get();
            tiles.put(move.spot, move.tile);
            left.remove(move.tile);
            moves.add(move);
        }
        return moves.stream().map(QBoard::placement).toList();
    }

    private static Placement placement(Move move) {
        return Placement.newBuilder()
                .setRow(move.spot.row)
                .setColumn(move.spot.column)
                .setTile(move.tile)
                .build();
    }

    /** Returns the move that makes the longest lines; of equal ones the first, so that a state gets one answer. */
    private Optional<Move> best(List<Tile> hand, List<Move> before) {
        List<Tile> kinds = hand.stream().filter(QBoard::isKnown).distinct().sorted().toList();
        return spots(before)
                .flatMap(spot -> kinds.stream().filter(tile -> fits(tile, spot)).map(tile -> new Move(spot, tile)))
                .max(Comparator.comparingLong(move -> length(move.spot)));
    }

    /** Returns the free spots beside a tile that share a row, or share a column, with all moves before. */
    private Stream<Spot> spots(List<Move> before) {
        var found = new HashSet<Spot>();
        tiles.keySet().forEach(spot -> ALL_STEPS.forEach(step -> found.add(spot.plus(step))));
        found.removeAll(tiles.keySet());
        return found.stream()
                .filter(Spot::isInRange)
                .filter(spot -> before.stream().allMatch(move -> move.spot.row == spot.row)
                        || before.stream().allMatch(move -> move.spot.column == spot.column))
                .sorted(Comparator.comparingInt(Spot::row).thenComparingInt(Spot::column));
    }

    /** Returns whether a tile may lie on a free spot: its row and its column are looked at separately. */
    private boolean fits(Tile tile, Spot spot) {
        return fits(tile, spot, ALONG_ROW) && fits(tile, spot, ALONG_COLUMN);
    }

    private boolean fits(Tile tile, Spot spot, List<Spot> steps) {
        int reach = qwirkle ? Integer.MAX_VALUE : 1; // otherwise only the neighbours count
        List<Tile> others = steps.stream().flatMap(step -> run(spot, step).limit(reach)).toList();
        boolean alike = others.stream().allMatch(other -> shape(other) == shape(tile))
                || others.stream().allMatch(other -> colour(other) == colour(tile));
        return alike && !(qwirkle && hasEqual(Stream.concat(others.stream(), Stream.of(tile)).toList()));
    }

    private static boolean hasEqual(List<Tile> line) {
        return new HashSet<>(line).size() < line.size();
    }

    /** Returns how many tiles lie in the lines that a tile on a spot would join. */
    private long length(Spot spot) {
        return ALL_STEPS.stream().flatMap(step -> run(spot, step)).count();
    }

    /** Returns the tiles beside a spot in one direction, up to the first gap. */
    private Stream<Tile> run(Spot spot, Spot step) {
        return Stream.iterate(spot.plus(step), tiles::containsKey, at -> at.plus(step)).map(tiles::get);
    }

    /** Returns whether this is a tile. Later revisions may have more of them than this program knows. */
    private static boolean isKnown(Tile tile) {
        return tile != Tile.TILE_UNSPECIFIED && tile != Tile.UNRECOGNIZED;
    }

    private static int shape(Tile tile) {
        return isKnown(tile) ? (tile.getNumber() - 1) / 6 : -1;
    }

    private static int colour(Tile tile) {
        return isKnown(tile) ? (tile.getNumber() - 1) % 6 : -1;
    }
}
