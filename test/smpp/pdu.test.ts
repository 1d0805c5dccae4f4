import { describe, expect, it } from "vitest";
import { buildResponse, isResponse, type RequestPdu } from "../../src/smpp/pdu.ts";
import { decodePdu, encodePdu } from "../../src/smpp/pdu-codec.ts";

const commands: readonly RequestPdu["command"][] = [
  "bind_receiver",
  "bind_transmitter",
  "bind_transceiver",
  "unbind",
  "enquire_link",
  "submit_sm",
  "deliver_sm",
  "data_sm",
];

describe("buildResponse", () => {
  it.each(commands)("%s is answered by its own response, whole even from a bare status", (command) => {
    for (const command_status of [0, 8]) {
      const response = buildResponse({ command, sequence_number: 7 }, { command_status });
      expect(response).toMatchObject({ command: `${command}_resp`, sequence_number: 7, command_status, tlvs: [] });
      expect(isResponse(response)).toBe(true);
      expect(decodePdu(encodePdu(response))).toEqual({ ok: true, pdu: response });
    }
  });

  it("takes the fields that the response has", () => {
    const answer = { command_status: 0, message_id: "m", system_id: "s" };
    expect(buildResponse({ command: "submit_sm", sequence_number: 1 }, answer)).toEqual({
      command: "submit_sm_resp",
      command_status: 0,
      sequence_number: 1,
      tlvs: [],
      message_id: "m",
    });
    expect(buildResponse({ command: "unbind", sequence_number: 1 }, answer)).not.toHaveProperty("message_id");
    expect(buildResponse({ command: "bind_receiver", sequence_number: 1 }, answer)).toMatchObject({ system_id: "s" });
  });
});
