import { setTimeout as sleep } from "node:timers/promises";

import { type Metadata, type ServiceError, status } from "@grpc/grpc-js";

import { CallError, failure, type Served } from "./calls.js";
import { target } from "./credentials.js";
import {
  type Call,
  ConnectionServiceClient,
  DialInRequest,
  type DialInResponse,
  type Goodbye,
  GoodbyeReason,
  Hello,
  type HostedPlayer,
  Reply,
  type Welcome,
} from "./gen/fairplay/v1/connection.js";

const PATIENCE_MS = 600_000; // for a server that is not there: a new start takes a while
const RESUME_WINDOW = { seconds: 30n, nanos: 0 }; // for which games wait when the server loses us
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 1_000;
const MAX_REPLIES = 256; // in one frame
const OPTIONS = {
  "grpc.max_receive_message_length": 16 * 1024 * 1024,
  "grpc.keepalive_time_ms": 20_000, // the server takes one in 10 s
  "grpc.initial_reconnect_backoff_ms": FIRST_PAUSE_MS,
  "grpc.max_reconnect_backoff_ms": LAST_PAUSE_MS,
};

/** The codes after which trying again would not help. */
const REFUSALS = [
  status.INVALID_ARGUMENT,
  status.ALREADY_EXISTS,
  status.PERMISSION_DENIED,
  status.UNAUTHENTICATED,
  status.UNIMPLEMENTED,
];

/** The functions behind the full names of methods, from bytes to bytes. */
type Methods = Map<string, (request: Uint8Array) => Promise<Uint8Array>>;

/** What came of a stream: what the server said, as far as it came, and why the stream ended. */
interface Conversation {
  welcome?: Welcome;
  goodbye?: Goodbye;
  ending: { code?: status; message: string; metadata?: Metadata };
}

/**
 * The second way: the player opens a stream and is called through it. It ends with the server's goodbye, and opens
 * another stream when one is lost.
 */
export async function dialIn(address: string, player: HostedPlayer, served: Served[]): Promise<void> {
  const { host, options, transport, metadata } = target(address);
  const client = new ConnectionServiceClient(host, transport, { ...OPTIONS, ...options });
  const hello = Hello.create({ players: [player], resumeWindow: RESUME_WINDOW });
  let [giveUp, pause] = [Date.now() + PATIENCE_MS, FIRST_PAUSE_MS];
  for (;;) {
    const { welcome, goodbye, ending } = await converse(client, metadata, hello, methodsOf(served));
    if (goodbye && goodbye.reason !== GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN) {
      console.log(ending.message);
      break; // this player is no longer needed
    }
    if (welcome) {
      hello.resumeToken = welcome.resumeToken;
      [giveUp, pause] = [Date.now() + PATIENCE_MS, FIRST_PAUSE_MS];
    }
    if (refused(ending) || Date.now() > giveUp) {
      throw new Error(`${address}: ${ending.message}`);
    }
    if (pause === 2 * FIRST_PAUSE_MS) {
      // said once: a stream that ends is no news yet
      console.error(`${address} is not there, and is tried again for ${PATIENCE_MS / 60_000} min: ${ending.message}`);
    }
    await sleep(pause);
    pause = Math.min(2 * pause, LAST_PAUSE_MS);
  }
  client.close();
}

/** Whether the server refuses the hello for good. Libraries say RESOURCE_EXHAUSTED of connections, without a reason. */
function refused({ code, metadata }: Conversation["ending"]): boolean {
  const details = metadata?.get("grpc-status-details-bin") ?? [];
  const says = (kind: string): boolean => details.some((each) => each.includes(kind));
  const exhausted = code === status.RESOURCE_EXHAUSTED && says("google.rpc.ErrorInfo");
  return (code !== undefined && REFUSALS.includes(code)) || (exhausted && !says("google.rpc.RetryInfo"));
}

/** Answers the calls of one stream until it ends. */
async function converse(
  client: ConnectionServiceClient,
  metadata: Metadata,
  hello: Hello,
  methods: Methods,
): Promise<Conversation> {
  const said: Conversation = { ending: { message: "the server ended the stream" } };
  const stream = client.dialIn(metadata);
  const wanted = new Set<bigint>(); // the calls that are under way
  const outbox: Reply[] = [];
  const send = (): void => {
    while (outbox.length > 0) {
      stream.write(DialInRequest.create({ replies: outbox.splice(0, MAX_REPLIES) }));
    }
  };
  const put = (reply: Reply): void => {
    if (wanted.delete(reply.id) && outbox.push(reply) === 1) {
      setImmediate(send); // what is due at the same time goes into one frame
    }
  };
  try {
    stream.write(DialInRequest.create({ hello }));
    for await (const frame of stream as AsyncIterable<DialInResponse>) {
      said.welcome ??= frame.welcome;
      for (const call of frame.calls) {
        wanted.add(call.id); // all for the one player of the hello, so call.player does not matter
        void reply(call, methods).then(put);
      }
      frame.cancelled.forEach((id) => wanted.delete(id));
      if (frame.goodbye) {
        said.goodbye = frame.goodbye;
        said.ending = { message: `the server says goodbye: ${frame.goodbye.message}` };
        break;
      }
    }
  } catch (error) {
    said.ending = error as ServiceError;
  }
  wanted.clear(); // a resumed stream brings these calls again
  outbox.length = 0;
  stream.on("error", () => {}); // that it is cancelled
  stream.cancel();
  return said;
}

async function reply(call: Call, methods: Methods): Promise<Reply> {
  try {
    const method = methods.get(call.methodName);
    if (!method) {
      throw new CallError(status.UNIMPLEMENTED, `this player has no method ${call.methodName}`);
    }
    return Reply.create({ id: call.id, response: await method(call.request) });
  } catch (problem) {
    return Reply.create({ id: call.id, failure: failure(problem) });
  }
}

/** The methods of a player's services. What is needed for it is in the definitions that were generated. */
function methodsOf(served: Served[]): Methods {
  const methods: Methods = new Map();
  for (const { service, functions } of served) {
    for (const [name, { path, requestDeserialize, responseSerialize }] of Object.entries(service)) {
      methods.set(path, async (bytes) => {
        let request: unknown;
        try {
          request = requestDeserialize(Buffer.from(bytes));
        } catch (problem) {
          throw new CallError(status.INVALID_ARGUMENT, `the request of ${path} is unreadable: ${problem}`);
        }
        return responseSerialize(await functions[name]!(request));
      });
    }
  }
  return methods;
}
