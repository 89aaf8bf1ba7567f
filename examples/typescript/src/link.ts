/** Connects a player with the server of its games, in both ways that there are. Knows no game. */

import { parseArgs } from "node:util";

import {
  Server,
  type ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";

import { failure, type Functions, type Served } from "./calls.js";
import { certified, guard } from "./credentials.js";
import { dialIn } from "./dial_in.js";
import { HostedPlayer } from "./gen/fairplay/v1/connection.js";
import {
  DescribeResponse,
  EndResponse,
  PlayerDescription,
  PlayerServiceService,
  StartResponse,
} from "./gen/fairplay/v1/player.js";

/** Runs a player of a game until the server says goodbye, or for as long as it serves. */
export async function main<Service extends ServiceDefinition>(
  displayName: string,
  service: Service,
  functions: Functions<Service>,
): Promise<void> {
  const path = Object.values(service)[0]!.path; // "/fairplay.fish.v1.FishPlayerService/PlayAs"
  const services = [{ name: path.split("/")[1]!, revision: 1 }];
  const description = PlayerDescription.create({ displayName, softwareVersion: "1", services });
  try {
    await run(description, [tournaments(description), { service, functions }]);
  } catch (problem) {
    console.error(problem instanceof Error ? problem.message : problem);
    process.exit(1);
  }
}

async function run(description: PlayerDescription, player: Served[]): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      listen: { type: "string" }, // serve on this HOST:PORT
      connect: { type: "string" }, // dial in to the server on this HOST:PORT
      name: { type: "string", default: process.env.FAIRPLAY_NAME }, // the name to dial in under
      token: { type: "string" }, // a secret of your own, which protects the name
      "tls-cert": { type: "string" }, // serve over TLS with the certificate in this file, in PEM
      "tls-key": { type: "string" }, // the file of its key, in PEM
      serve: { type: "boolean" }, // serve where the server that starts this program says, instead of dialling in
    },
  });
  const chosen = options.listen !== undefined || options.connect !== undefined;
  const listen = chosen || !options.serve ? options.listen : process.env.FAIRPLAY_LISTEN;
  const connect = chosen || options.serve ? options.connect : process.env.FAIRPLAY_CONNECT;
  const token = options.token ?? (chosen ? "" : process.env.FAIRPLAY_TOKEN ?? "");
  if (listen) {
    await serve(listen, certified(options["tls-cert"], options["tls-key"]), player);
  } else if (connect && options.name) {
    await dialIn(connect, HostedPlayer.create({ name: options.name, token, description }), player);
  } else {
    throw new Error("give --listen HOST:PORT to serve, or --connect HOST:PORT and --name NAME to dial in");
  }
}

/** The service that every player has. This one has nothing to prepare and nothing to celebrate. */
function tournaments(description: PlayerDescription): Served {
  const functions: Functions<typeof PlayerServiceService> = {
    describe: () => DescribeResponse.create({ description }),
    start: () => StartResponse.create(),
    end: () => EndResponse.create(),
  };
  return { service: PlayerServiceService, functions };
}

/** The first way: the player listens, and the server calls it. */
async function serve(address: string, transport: ServerCredentials, player: Served[]): Promise<void> {
  const check = guard();
  const server = new Server();
  for (const { service, functions } of player) {
    const implementation: UntypedServiceImplementation = {};
    for (const [name, answer] of Object.entries(functions)) {
      implementation[name] = async (call: any, callback: any) => {
        try {
          check(call.metadata);
          callback(null, await answer(call.request));
        } catch (problem) {
          callback(failure(problem));
        }
      };
    }
    server.addService(service, implementation);
  }
  await new Promise<void>((done, failed) => {
    server.bindAsync(address, transport, (error) => (error ? failed(error) : done()));
  });
  console.log(`the player serves on ${address}`);
}
