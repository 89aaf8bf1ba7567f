// Asks a server what the player to move may do in a state of Fish: node ask.mjs ADDRESS STATE.json [PROTOS]
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { readFileSync } from "node:fs";

const [address, file, protos = "proto"] = process.argv.slice(2);
const files = ["fairplay/v1/rules.proto", "fairplay/fish/v1/fish_player.proto"];
const { v1 } = grpc.loadPackageDefinition(loadSync(files, { includeDirs: [protos] })).fairplay;
const rules = new v1.RulesService(address, grpc.credentials.createInsecure());
const ask = (method, request) =>
  new Promise((resolve, reject) =>
    rules[method](request, (error, reply) => (error ? reject(error) : resolve(reply))),
  );

const position = { game: "fish", seat: 0, state: { fish: JSON.parse(readFileSync(file, "utf-8")) } };
const { methodName, replyCount, replies } = await ask("listLegalReplies", { position });
console.log(`${methodName}: ${replyCount} legal replies`);
const reply = replies[0];
const { ruleBreak } = await ask("checkReply", { position, reply });
console.log(`broken rule: ${ruleBreak?.ruleId ?? "none"}`);
const { state } = await ask("applyReply", { position, reply });
console.log(`revision ${position.state.fish.revision} becomes ${state.fish.revision}`);
rules.close();
