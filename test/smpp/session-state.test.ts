import { expect, it } from "vitest";
import type { BindCommand } from "../../src/smpp/pdu.ts";
import { isBound, mayIssue, mayServe, type SessionState } from "../../src/smpp/session-state.ts";

const states: readonly SessionState[] = ["open", "bound_tx", "bound_rx", "bound_trx", "unbinding", "unbound"];
const rows = ["submit_sm", "deliver_sm", "data_sm", "bind_transceiver", "unbind", "enquire_link", "outbind"] as const;

it("is the operation matrix of SMPP 3.4 table 2-1", () => {
  const matrix = rows.map((command) => [
    command,
    ...(["esme", "smsc"] as const).map((role) => states.filter((state) => mayIssue(role, command, state)).join(" ")),
  ]);
  expect(matrix).toEqual([
    ["submit_sm", "bound_tx bound_trx", ""],
    ["deliver_sm", "", "bound_rx bound_trx"],
    ["data_sm", "bound_tx bound_trx", "bound_rx bound_trx"],
    ["bind_transceiver", "open", ""],
    ["unbind", "bound_tx bound_rx bound_trx", "bound_tx bound_rx bound_trx"],
    ["enquire_link", "open bound_tx bound_rx bound_trx", "open bound_tx bound_rx bound_trx"],
    ["outbind", "", "open"],
  ]);
});

it("unbinding, issues nothing, and serves the peer as the bind allows, which knows nothing of it yet", () => {
  const served = (bind?: BindCommand) => rows.filter((command) => mayServe("esme", command, "unbinding", bind));
  expect(rows.filter((command) => mayIssue("esme", command, "unbinding"))).toEqual([]);
  expect(served("bind_transmitter")).toEqual(["unbind", "enquire_link"]);
  expect(served("bind_receiver")).toEqual(["deliver_sm", "data_sm", "unbind", "enquire_link"]);
  expect(served()).toEqual([]);
  expect(states.filter(isBound)).toEqual(["bound_tx", "bound_rx", "bound_trx"]);
});
