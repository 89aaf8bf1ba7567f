/** Plays the Q game. Places tiles, each where it makes the longest lines, for as long as one fits. */

import {
  NewTilesResponse,
  QPlayerServiceService,
  SetupResponse,
  TakeTurnResponse,
  WinResponse,
} from "./gen/fairplay/q/v1/q_player.js";
import { main } from "./link.js";
import { Board, read } from "./q_board.js";

// One function for each call of the game. They remember nothing, so the player can be in many games at once.
await main("Q in TypeScript", QPlayerServiceService, {
  setup: () => SetupResponse.create(), // the state of a turn says all of it again

  newTiles: () => NewTilesResponse.create(),

  win: () => WinResponse.create(),

  takeTurn: (request) => {
    const { state, hand } = read(request.state);
    const placements = new Board(state).extension(hand);
    if (placements.length > 0) {
      return TakeTurnResponse.create({ action: { extension: { placements } } });
    }
    return TakeTurnResponse.create({ action: state.pileLeft >= hand.length ? { replace: {} } : { passTurn: {} } });
  },
});
