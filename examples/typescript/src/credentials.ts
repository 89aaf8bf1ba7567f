/** Whom a player trusts, who it is, and whose calls it answers. */

import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";

import { type ChannelCredentials, credentials, Metadata, ServerCredentials, status } from "@grpc/grpc-js";

import { CallError } from "./calls.js";

const SECRET_KEY = "fairplay-secret";
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]):\d+$/;

/** Where a server is, how to connect there, and what calls show to it. A proxy never concerns this machine. */
export interface Target {
  host: string;
  options: { "grpc.enable_http_proxy": 0 | 1 };
  transport: ChannelCredentials;
  metadata: Metadata;
}

/**
 * Reads an address: grpcs:// stands for TLS and grpc:// for none. Without either, there is TLS where FAIRPLAY_CA names
 * the authorities to trust; otherwise those of the system are. The token of the player's account, FAIRPLAY_TOKEN, is
 * shown over TLS or on this machine only.
 */
export function target(address: string): Target {
  const ca = process.env.FAIRPLAY_CA;
  const secure = address.startsWith("grpcs://") || (!address.startsWith("grpc://") && Boolean(ca));
  const host = address.replace(/^grpcs?:\/\//, "");
  const transport = secure ? credentials.createSsl(ca ? readFileSync(ca) : null) : credentials.createInsecure();
  const metadata = new Metadata();
  const token = process.env.FAIRPLAY_TOKEN?.trim();
  const here = LOOPBACK.test(host);
  if (token && (secure || here)) {
    metadata.set("authorization", `Bearer ${token}`);
  }
  return { host, options: { "grpc.enable_http_proxy": here ? 0 : 1 }, transport, metadata };
}

/** How a player serves: over TLS with a certificate and its key, or without. */
export function certified(certificate: string | undefined, key: string | undefined): ServerCredentials {
  if (!certificate && !key) {
    return ServerCredentials.createInsecure();
  }
  if (!certificate || !key) {
    throw new Error("--tls-cert and --tls-key belong together: the certificate of --listen, and its key");
  }
  return ServerCredentials.createSsl(null, [{ cert_chain: readFileSync(certificate), private_key: readFileSync(key) }]);
}

/** Returns what refuses calls that do not show the player's secret, FAIRPLAY_SECRET, if there is one. */
export function guard(): (metadata: Metadata) => void {
  const secret = process.env.FAIRPLAY_SECRET;
  if (secret === undefined) {
    return () => {};
  }
  if (!/^[!-~]{1,256}$/.test(secret)) {
    throw new Error("FAIRPLAY_SECRET cannot be used: a secret is 1 to 256 visible characters of ASCII");
  }
  return (metadata) => {
    if (!timingSafeEqual(digest(metadata.get(SECRET_KEY).join(",")), digest(secret))) {
      const message = `this player answers only calls that show its secret in the metadata ${SECRET_KEY}`;
      throw new CallError(status.UNAUTHENTICATED, message);
    }
  };
}

/** Of equal length whatever the text, so that comparing tells nothing of it. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
