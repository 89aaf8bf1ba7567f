/** Plays the Q game. Places tiles, each where it makes the longest lines, for as long as one fits. */

import { QPlayerServiceService } from "./gen/fairplay/q/v1/q_player.js";
import { main } from "./link.js";
import { Board, read } from "./q_board.js";

// One function for each call of the game. They remember nothing, so the player can be in many games at once.
await main("Q in TypeScript", QPlayerServiceService, {
  setup: () => ({}), // the state of a turn says all of it again

  newTiles: () => ({}),

  win: () => ({}),

  takeTurn: (request) => {
    const { state, hand } = read(request.state);
    const placements = new Board(state).extension(hand);
    if (placements.length > 0) {
      return { action: { extension: { placements } } };
    }
    return { action: state.pileLeft >= hand.length ? { replace: {} } : { passTurn: {} } };
  },
});
