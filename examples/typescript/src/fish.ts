/** Plays Fish. Goes for tiles with many fish, and stays where it can move far. */

import { fishPlayer } from "./fish_player.js";
import { FishPlayerServiceService } from "./gen/fairplay/fish/v1/fish_player.js";
import { main } from "./link.js";

await main("Fish in TypeScript", FishPlayerServiceService, fishPlayer);
