import { status } from "@grpc/grpc-js";

import { CallError } from "./calls.js";
import { FitRule, type State, Tile } from "./gen/fairplay/q/v1/q.js";

const FARTHEST = 1_000_000; // from row and column 0

interface Spot {
  row: number;
  column: number;
}

/** The state of a turn, and the hand of the called player. CallError: what a referee never gets wrong is wrong. */
export function read(state: State | undefined): { state: State; hand: Tile[] } {
  const hand = state?.players[0]?.hand;
  if (!state || !hand || state.rows.length !== state.tiles.length || state.columns.length !== state.tiles.length) {
    throw new CallError(status.INVALID_ARGUMENT, "a state has as many rows as columns and tiles, and players");
  }
  return { state, hand };
}

/** The map, and the rule by which tiles fit. */
export class Board {
  private readonly tiles = new Map<number, Spot & { tile: Tile }>();
  private readonly qwirkle: boolean;

  constructor(state: State) {
    this.qwirkle = state.fitRule === FitRule.FIT_RULE_QWIRKLE;
    state.tiles.forEach((tile, n) => this.put({ row: state.rows[n]!, column: state.columns[n]!, tile }));
  }

  private put(placed: Spot & { tile: Tile }): void {
    this.tiles.set(key(placed.row, placed.column), placed);
  }

  /**
   * What to place from a hand: the best placement, then the best one in line with it, and so on. Puts them on the
   * board, too.
   */
  extension(hand: Tile[]): (Spot & { tile: Tile })[] {
    const left = [...hand];
    const placements: (Spot & { tile: Tile })[] = [];
    for (let next = this.best(left, []); next; next = this.best(left, placements)) {
      this.put(next);
      placements.push(next);
      left.splice(left.indexOf(next.tile), 1);
    }
    return placements;
  }

  /** The placement of one tile that makes the longest lines, if there is any. */
  private best(hand: Tile[], placed: Spot[]): (Spot & { tile: Tile }) | undefined {
    const kinds = [...new Set(hand)].filter(known).sort((a, b) => a - b);
    let [found, most]: [(Spot & { tile: Tile }) | undefined, number] = [undefined, -1];
    for (const spot of this.spots(placed)) {
      const lines = [this.line(spot, 0, 1), this.line(spot, 1, 0)];
      const length = lines.flat(2).length;
      const tile = length > most ? kinds.find((kind) => lines.every((line) => this.fits(kind, line))) : undefined;
      if (tile !== undefined) {
        [found, most] = [{ ...spot, tile }, length];
      }
    }
    return found;
  }

  /**
   * The free spots beside a tile that share a row, or share a column, with all that were placed before; sorted, so
   * that the same state gets the same answer.
   */
  private spots(placed: Spot[]): Spot[] {
    const beside = new Map<number, Spot>();
    for (const { row, column } of this.tiles.values()) {
      for (const [down, right] of [[-1, 0], [1, 0], [0, -1], [0, 1]] as const) {
        beside.set(key(row + down, column + right), { row: row + down, column: column + right });
      }
    }
    return [...beside.entries()]
      .filter(([number, spot]) => !this.tiles.has(number) && inRange(spot) && inLine([...placed, spot]))
      .sort(([a], [b]) => a - b)
      .map(([, spot]) => spot);
  }

  /** Whether a tile fits between the two arms of a line. Its row and its column are looked at separately. */
  private fits(tile: Tile, line: Tile[][]): boolean {
    const others = line.flatMap((arm) => (this.qwirkle ? arm : arm.slice(0, 1))); // or only the neighbours count
    const alike = [shape, colour].some((of) => others.every((other) => known(other) && of(other) === of(tile)));
    return alike && (!this.qwirkle || new Set([...others, tile]).size === others.length + 1);
  }

  /** What lies beside a spot without a gap, nearest first: in one direction, and in the opposite one. */
  private line({ row, column }: Spot, down: number, right: number): Tile[][] {
    return [1, -1].map((sign) => {
      const arm: Tile[] = [];
      for (let n = sign; ; n += sign) {
        const found = this.tiles.get(key(row + n * down, column + n * right));
        if (!found) {
          return arm;
        }
        arm.push(found.tile);
      }
    });
  }
}

/** The number of a coordinate; in row-column order. */
const key = (row: number, column: number): number => row * 4 * FARTHEST + column;

const inRange = ({ row, column }: Spot): boolean => Math.max(Math.abs(row), Math.abs(column)) <= FARTHEST;

const inLine = (spots: Spot[]): boolean =>
  spots.every(({ row }) => row === spots[0]!.row) || spots.every(({ column }) => column === spots[0]!.column);

/** Whether a number is that of a tile. Later revisions may have more, and other things may not be tiles. */
const known = (tile: Tile): boolean => tile >= Tile.TILE_RED_STAR && tile <= Tile.TILE_PURPLE_DIAMOND;

const shape = (tile: Tile): number => Math.floor((tile - 1) / 6);

const colour = (tile: Tile): number => (tile - 1) % 6;
