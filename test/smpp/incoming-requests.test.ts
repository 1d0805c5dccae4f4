import { expect, it } from "vitest";
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

it("says which answers were given since last asked", () => {
  const { requests } = setup({ decide: () => ({ command_status: 0 }) });
  void requests.serve(plainSubmitSm, 100);
  expect(requests.takeAnswered()).toEqual([{ pdu: plainSubmitSm, answer: { command_status: 0 } }]);
  expect(requests.takeAnswered()).toEqual([]);
  const gone = setup({ decide: () => ({ command_status: 0 }), respond: () => false });
  void gone.requests.serve(plainSubmitSm, 100);
  expect(gone.requests.takeAnswered()).toEqual([]);
});
