/** Goes for tiles with many fish, and stays where it can move far. */

import { status } from "@grpc/grpc-js";

import { CallError, type Functions } from "./calls.js";
import type { State } from "./gen/fairplay/fish/v1/fish.js";
import {
  type FishPlayerServiceService,
  PlayAsResponse,
  PlayWithResponse,
  SetupResponse,
  TakeTurnResponse,
} from "./gen/fairplay/fish/v1/fish_player.js";

/** (Rows down, columns right) to the next tile N, NE, SE, S, SW, NW: from an even row, from an odd row. */
const STEPS = [
  [[-2, 0], [-1, 0], [1, 0], [2, 0], [1, -1], [-1, -1]],
  [[-2, 0], [-1, 1], [1, 1], [2, 0], [1, 0], [-1, 0]],
] as const;

/** What matters of a state. Cells are numbered row by row, from 0. */
class Board {
  readonly fish: readonly number[];
  private readonly columns: number;
  private readonly taken: Set<number>; // the cells with a penguin

  /** Checks what a referee never gets wrong, since whoever calls might be none. */
  constructor(state: State) {
    this.fish = state.fish;
    this.columns = state.columns;
    this.taken = new Set(state.players.flatMap((player) => player.places));
    if (state.columns === 0 || state.fish.length % state.columns !== 0 || state.players.length === 0) {
      throw new CallError(status.INVALID_ARGUMENT, "a state has full rows, and players");
    }
    for (const place of this.taken) {
      if (place >= state.fish.length) {
        throw new CallError(status.INVALID_ARGUMENT, `there is no cell ${place}`);
      }
    }
  }

  /** Whether a cell has a tile and no penguin. */
  free(cell: number): boolean {
    return (this.fish[cell] ?? 0) > 0 && !this.taken.has(cell);
  }

  /** The cells that can be reached from a cell in one move. */
  targets(source: number): number[] {
    const found: number[] = [];
    for (let direction = 0; direction < 6; direction++) {
      let [row, column] = [Math.floor(source / this.columns), source % this.columns];
      for (;;) {
        const [down, right] = STEPS[row % 2 === 0 ? 0 : 1][direction]!;
        [row, column] = [row + down, column + right];
        const cell = row * this.columns + column;
        if (column < 0 || column >= this.columns || !this.free(cell)) {
          break;
        }
        found.push(cell);
      }
    }
    return found;
  }

  /** What it is worth to stand on a cell: its fish, and how far one can go from there. */
  worth(cell: number): number {
    return this.fish[cell]! + this.targets(cell).length;
  }
}

function read(state: State | undefined): { state: State; board: Board } {
  if (!state) {
    throw new CallError(status.INVALID_ARGUMENT, "the state is missing");
  }
  return { state, board: new Board(state) };
}

/** The one with the highest value. CallError: there is none. */
function best<Choice>(choices: Choice[], value: (choice: Choice) => number): Choice {
  const values = choices.map(value);
  const choice = choices[values.indexOf(Math.max(...values))];
  if (choice === undefined) {
    throw new CallError(status.FAILED_PRECONDITION, "there is nothing that I could do");
  }
  return choice;
}

/** One function for each call of the game. They remember nothing, so the player can be in many games at once. */
export const fishPlayer: Functions<typeof FishPlayerServiceService> = {
  playAs: () => PlayAsResponse.create(), // each state says it again: the called player comes first there

  playWith: () => PlayWithResponse.create(),

  setup: (request) => {
    const { board } = read(request.state);
    const free = [...board.fish.keys()].filter((cell) => board.free(cell));
    return SetupResponse.create({ place: best(free, (cell) => board.worth(cell)) });
  },

  takeTurn: (request) => {
    const { state, board } = read(request.state);
    const moves = state.players[0]!.places.flatMap((source) =>
      board.targets(source).map((target) => ({ source, target })),
    );
    // The tile that the penguin leaves is won now; the one that it reaches can be won next.
    const move = best(moves, ({ source, target }) => 2 * board.fish[source]! + board.worth(target));
    return TakeTurnResponse.create({ action: move });
  },
};
