package com.example.players;

import com.fairplay.fish.v1.Player;
import com.fairplay.fish.v1.State;
import io.grpc.Status;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What matters of a state of Fish. Cells are numbered row by row, from 0. */
record FishBoard(int columns, List<Integer> fish, Set<Integer> penguins) {
    /** As (rows down, columns right), to the next tile N, NE, SE, S, SW, NW: from an even row, from an odd row. */
    private static final int[][][] STEPS = {
        {{-2, 0}, {-1, 0}, {1, 0}, {2, 0}, {1, -1}, {-1, -1}},
        {{-2, 0}, {-1, 1}, {1, 1}, {2, 0}, {1, 0}, {-1, 0}},
    };

    /** Checks what a referee never gets wrong, since whoever calls might be none. */
    static FishBoard of(State state) {
        int cells = state.getFishCount();
        if (state.getColumns() <= 0 || cells % state.getColumns() != 0 || state.getPlayersCount() == 0) {
            throw Status.INVALID_ARGUMENT.withDescription("a state has full rows, and players").asRuntimeException();
        }
        Set<Integer> penguins = new HashSet<>();
        for (Player player : state.getPlayersList()) {
            penguins.addAll(player.getPlacesList());
        }
        if (penguins.stream().anyMatch(cell -> cell < 0 || cell >= cells)) {
            throw Status.INVALID_ARGUMENT.withDescription("a penguin is beside the board").asRuntimeException();
        }
        return new FishBoard(state.getColumns(), state.getFishList(), penguins);
    }

    int fish(int cell) {
        return fish.get(cell);
    }

    /** Returns the cells that have a tile and no penguin. */
    Stream<Integer> freeCells() {
        return IntStream.range(0, fish.size()).filter(this::isFree).boxed();
    }

    /** Returns the cells that can be reached from a cell in one move. */
    Stream<Integer> targets(int source) {
        return IntStream.range(0, 6).boxed().flatMap(direction -> line(source, direction));
    }

    /** Returns what it is worth to stand on a cell: its fish, and how far one can go from there. */
    int worth(int cell) {
        return fish(cell) + (int) targets(cell).count();
    }

    private Stream<Integer> line(int source, int direction) {
        return Stream.iterate(next(source, direction), this::isFree, cell -> next(cell, direction));
    }

    /** Returns the cell that comes next in a direction, or -1 at the edge of the board. */
    private int next(int cell, int direction) {
        int row = cell / columns;
        int[] step = STEPS[row % 2][direction];
        int column = cell % columns + step[1];
        return column < 0 || column >= columns ? -1 : (row + step[0]) * columns + column;
    }

    private boolean isFree(int cell) {
        return cell >= 0 && cell < fish.size() && fish(cell) > 0 && !penguins.contains(cell);
    }
}
