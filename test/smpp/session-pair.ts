/** A bound session of ours with a raw peer at the other end of a real TCP connection. */

import { onTestFinished } from "vitest";
import { connectAndBind, type ConnectOptions } from "../../src/smpp/client.ts";
import type { ResponsePdu } from "../../src/smpp/pdu.ts";
import type { SmppReply } from "../../src/smpp/request-window.ts";
import type { SessionEvents } from "../../src/smpp/session-options.ts";
import type { SmppSession } from "../../src/smpp/session.ts";
import { startRawSmsc, type RawPeer } from "./raw-peer.ts";

/** For the test that runs: it ends with it. */
export async function boundPair(
  options: Partial<ConnectOptions> = {},
): Promise<{ session: SmppSession; peer: RawPeer }> {
  const smsc = await startRawSmsc();
  // A hook of this module would be one of the first file alone that loads it in a process.
  onTestFinished(() => smsc.stop());
  const binding = connectAndBind({
    host: "127.0.0.1",
    port: smsc.port,
    systemId: "hodhod",
    password: "secret",
    bindType: "transceiver",
    enquireLinkSeconds: 0,
    inactivitySeconds: 0,
    responseTimeoutMs: 5000,
    ...options,
  });
  const peer = await smsc.accept();
  const bind = await peer.next(`bind_${options.bindType ?? "transceiver"}`);
  peer.answer(bind);
  return { session: await binding, peer };
}

export function nextEvent<Name extends keyof SessionEvents>(
  session: SmppSession,
  name: Name,
): Promise<SessionEvents[Name][0]> {
  return new Promise((resolve) => {
    const once = session.once.bind(session) as (name: Name, listener: (value: SessionEvents[Name][0]) => void) => void;
    once(name, resolve);
  });
}

/** The response in a reply; throws for the other kinds. */
export function responseOf(reply: SmppReply): ResponsePdu {
  if (reply.kind !== "response") throw new Error(`no response but ${reply.kind}`);
  return reply.pdu;
}

/** A promise that a test settles itself. */
export function deferred<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
