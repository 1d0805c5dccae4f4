/** Which side may issue which request in which session state: SMPP 3.4 §2.2 and table 2-1. Pure. */

import type { BindCommand, NoticePdu, RequestPdu } from "./pdu.ts";

export type SessionRole = "esme" | "smsc";

/**
 * `open`: connected, not bound. `unbinding`: this side has sent unbind and issues nothing more.
 * `unbound`: ended for good.
 */
export type SessionState = "open" | "bound_tx" | "bound_rx" | "bound_trx" | "unbinding" | "unbound";

type Initiated = (RequestPdu | NoticePdu)["command"];
type Rule = Partial<Readonly<Record<SessionRole, readonly SessionState[]>>>;

const bound: readonly SessionState[] = ["bound_tx", "bound_rx", "bound_trx"];
const transmitting: readonly SessionState[] = ["bound_tx", "bound_trx"];
const receiving: readonly SessionState[] = ["bound_rx", "bound_trx"];
const connected: readonly SessionState[] = ["open", ...bound];

const operations: Readonly<Record<Initiated, Rule>> = {
  bind_transmitter: { esme: ["open"] },
  bind_receiver: { esme: ["open"] },
  bind_transceiver: { esme: ["open"] },
  outbind: { smsc: ["open"] },
  unbind: { esme: bound, smsc: bound },
  // 3.4 requires a bound session and 5.0 does not. Answering early does no harm.
  enquire_link: { esme: connected, smsc: connected },
  submit_sm: { esme: transmitting },
  submit_multi: { esme: transmitting },
  query_sm: { esme: transmitting },
  cancel_sm: { esme: transmitting },
  replace_sm: { esme: transmitting },
  data_sm: { esme: transmitting, smsc: receiving },
  deliver_sm: { smsc: receiving },
  alert_notification: { smsc: receiving },
};

export function mayIssue(issuer: SessionRole, command: Initiated, state: SessionState): boolean {
  return operations[command][issuer]?.includes(state) ?? false;
}

/**
 * Whether a session of this role serves what the peer issues. The peer learns of our unbinding only
 * by our unbind: until it answers, it may issue what it may on a bound session.
 */
export function mayServe(role: SessionRole, command: Initiated, state: SessionState, bind?: BindCommand): boolean {
  const stateOfPeer = state === "unbinding" && bind !== undefined ? stateAfterBind(bind) : state;
  return mayIssue(role === "esme" ? "smsc" : "esme", command, stateOfPeer);
}

export function isBound(state: SessionState): boolean {
  return state === "bound_trx" || state === "bound_tx" || state === "bound_rx";
}

export function stateAfterBind(command: BindCommand): SessionState {
  switch (command) {
    case "bind_transmitter":
      return "bound_tx";
    case "bind_receiver":
      return "bound_rx";
    case "bind_transceiver":
      return "bound_trx";
  }
}

/**
 * The requests that count against the window. All others must get through even if the window is
 * full.
 */
export function takesWindowPlace(command: Initiated): boolean {
  return command === "submit_sm" || command === "deliver_sm" || command === "data_sm" || command === "submit_multi";
}
