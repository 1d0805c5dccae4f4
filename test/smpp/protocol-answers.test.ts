import { expect, it } from "vitest";
import { commandId, commandStatus, tlvTag } from "../../src/smpp/constants.ts";
import type { BindPdu } from "../../src/smpp/pdu.ts";
import { answerBind, answerInWrongState, answerUnreadable } from "../../src/smpp/session-state.ts";
import { plainSubmitSm } from "./pdu-samples.ts";

const unreadable = (id: number, status: number) =>
  answerUnreadable({ ok: false, commandId: id, sequenceNumber: 9, commandStatus: status, reason: "" });

it("case 19: answers a malformed request with its own response, an unknown command with generic_nack", () => {
  expect(unreadable(commandId.deliver_sm, commandStatus.ESME_RINVMSGLEN)).toMatchObject({
    command: "deliver_sm_resp",
    command_status: commandStatus.ESME_RINVMSGLEN,
    sequence_number: 9,
  });
  expect(unreadable(0x77, commandStatus.ESME_RINVCMDID)).toMatchObject({ command: "generic_nack", sequence_number: 9 });
  expect(unreadable(commandId.outbind, commandStatus.ESME_RINVCMDLEN)).toMatchObject({ command: "generic_nack" });
});

it("never answers what looks like a response", () => {
  expect(unreadable(0x80000077, commandStatus.ESME_RINVCMDID)).toBeUndefined();
});

const bind: BindPdu = {
  command: "bind_transmitter",
  command_status: 0,
  sequence_number: 1,
  system_id: "a",
  password: "b",
  system_type: "",
  interface_version: 0x34,
  addr_ton: 0,
  addr_npi: 0,
  address_range: "",
  tlvs: [],
};

it("tells a second bind from a request before the bind", () => {
  expect(answerInWrongState(bind, { role: "smsc", isBound: true }).command_status).toBe(commandStatus.ESME_RALYBND);
  expect(answerInWrongState(plainSubmitSm, { role: "smsc", isBound: false }).command_status).toBe(
    commandStatus.ESME_RINVBNDSTS,
  );
});

it("names its version in an accepted bind only", () => {
  const accepted = answerBind(bind, { commandStatus: 0, systemId: "smsc" });
  expect(accepted).toMatchObject({ command: "bind_transmitter_resp", system_id: "smsc" });
  expect(accepted.tlvs.map(({ tag }) => tag)).toEqual([tlvTag.sc_interface_version]);
  expect(answerBind(bind, { commandStatus: 14, systemId: "" }).tlvs).toEqual([]);
});
