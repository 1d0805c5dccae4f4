// The thread of posting-thread.ts: sends the requests that it is handed, and answers with what
// became of them.
import { parentPort, workerData } from "node:worker_threads";
import { AddressRules } from "./address-rules.ts";
import type { NumberedOutcome, PostingThreadOptions, RequestGroup } from "./posting-thread.ts";
import { RequestPoster } from "./request-poster.ts";

const { allow, ...options } = workerData as PostingThreadOptions;
const poster = new RequestPoster({ rules: new AddressRules(allow), ...options });
let outcomes: NumberedOutcome[] = [];

/** What ends in one turn is answered together. */
function answer(outcome: NumberedOutcome): void {
  if (outcomes.length === 0)
    setImmediate(() => {
      parentPort?.postMessage(outcomes);
      outcomes = [];
    });
  outcomes.push(outcome);
}

parentPort?.on("message", ({ requests, bodies }: RequestGroup) => {
  let at = 0;
  for (const { number, bodyOctets, ...request } of requests) {
    // Its own octets: one that lasts would keep those of its whole group in memory.
    const body = Buffer.from(bodies.subarray(at, at + bodyOctets));
    at += bodyOctets;
    void poster.post({ ...request, body }).then((outcome) => answer({ number, outcome }));
  }
});
