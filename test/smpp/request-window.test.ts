import { describe, expect, it } from "vitest";
import type { ResponsePdu } from "../../src/smpp/pdu.ts";
import {
  isAcceptance,
  RequestWindow,
  type LateRequest,
  type PendingRequest,
  type Requester,
} from "../../src/smpp/request-window.ts";

interface Named extends Requester {
  readonly name: unknown;
}

function pending(name: unknown, fields: Partial<PendingRequest> = {}): PendingRequest {
  return {
    command: "submit_sm",
    requester: { name, onReply: () => undefined } as Named,
    deadline: 100,
    writeNumber: 0,
    takesPlace: true,
    ...fields,
  };
}

/** Whose request it was. */
const nameOf = (request: LateRequest | undefined): unknown => (request?.requester as Named | undefined)?.name;

function response(
  sequence_number: number,
  command: "submit_sm_resp" | "deliver_sm_resp" = "submit_sm_resp",
): ResponsePdu {
  return { command, command_status: 0, sequence_number, message_id: "1", tlvs: [] };
}

const nack = (sequence_number: number): ResponsePdu => ({
  command: "generic_nack",
  command_status: 3,
  sequence_number,
  tlvs: [],
});

describe("RequestWindow", () => {
  it("case 24: remembers timed-out requests, reports each once, and forgets it after a quarter of an hour", () => {
    const window = new RequestWindow(3);
    window.add(1, pending("a"));
    window.add(2, pending("b"));
    window.add(3, pending("c", { deadline: 200 }));
    expect(window.nextDeadline()).toBe(100);
    expect(window.expire(100).map(nameOf)).toEqual(["a", "b"]);
    expect([window.free, window.placesTaken, window.nextDeadline()]).toEqual([2, 1, 200]);
    expect(nameOf(window.takeLate(response(1)))).toBe("a");
    expect(window.takeLate(response(1))).toBeUndefined();
    window.expire(100 + 10 * 60_000);
    expect(nameOf(window.takeLate(response(3)))).toBe("c");
    window.expire(100 + 15 * 60_000);
    expect(window.takeLate(response(2))).toBeUndefined();
  });

  it("bounds its memory", () => {
    const window = new RequestWindow(1);
    for (let number = 1; number <= 100_010; number += 1) {
      window.add(number, pending(number, { deadline: 0 }));
      window.expire(1);
    }
    expect(window.takeLate(response(10))).toBeUndefined();
    expect(nameOf(window.takeLate(response(100_010)))).toBe(100_010);
  });
});

it("is carried out only as its own response says, whatever status a generic_nack names", () => {
  const reply = (pdu: ResponsePdu): boolean => isAcceptance({ kind: "response", pdu });
  expect(reply(response(1))).toBe(true);
  expect(reply({ ...response(1), command_status: 8 })).toBe(false);
  expect(reply({ ...nack(1), command_status: 0 })).toBe(false);
});
