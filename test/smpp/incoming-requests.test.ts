import { expect, it } from "vitest";
import { commandStatus } from "../../src/smpp/constants.ts";
import { IncomingRequests, type IncomingRequestsOptions } from "../../src/smpp/incoming-requests.ts";
import type { SmppAnswer } from "../../src/smpp/pdu.ts";
import { plainSubmitSm } from "./pdu-samples.ts";

function setup(options: Partial<IncomingRequestsOptions> = {}) {
  const answers: SmppAnswer[] = [];
  const faults: unknown[] = [];
  const requests = new IncomingRequests({
    role: "esme",
    maximumUnanswered: 2,
    decide: undefined,
    respond: (_pdu, answer) => answers.push(answer) > 0,
    onFault: (_pdu, error) => faults.push(error),
    ...options,
  });
  return { requests, answers, faults };
}

const statuses = (answers: readonly SmppAnswer[]): number[] => answers.map(({ command_status }) => command_status);

it("case 27: what the product could not save is answered with a temporary error", async () => {
  for (const decide of [
    () => Promise.reject(new Error("database away")),
    () => {
      throw new Error("database away");
    },
    undefined,
  ]) {
    const { requests, answers } = setup({ decide });
    requests.serve(plainSubmitSm, 100);
    await new Promise(setImmediate);
    expect(statuses(answers)).toEqual([commandStatus.ESME_RX_T_APPN]);
  }
});

it("bounds what waits, and takes more once answered", async () => {
  const decided: ((answer: SmppAnswer) => void)[] = [];
  const decide = (): Promise<SmppAnswer> => new Promise((resolve) => decided.push(resolve));
  const { requests, answers } = setup({ decide });
  for (let count = 0; count < 3; count += 1) requests.serve(plainSubmitSm, 100);
  expect(statuses(answers)).toEqual([commandStatus.ESME_RX_T_APPN]);
  decided[0]?.({ command_status: 0 });
  await new Promise(setImmediate);
  requests.serve(plainSubmitSm, 100);
  expect(decided).toHaveLength(3);
});

it("says which answers were given since last asked", () => {
  const { requests } = setup({ decide: () => ({ command_status: 0 }) });
  requests.serve(plainSubmitSm, 100);
  expect(requests.takeAnswered()).toEqual([{ pdu: plainSubmitSm, answer: { command_status: 0 } }]);
  expect(requests.takeAnswered()).toEqual([]);
  const gone = setup({ decide: () => ({ command_status: 0 }), respond: () => false });
  gone.requests.serve(plainSubmitSm, 100);
  expect(gone.requests.takeAnswered()).toEqual([]);
});
