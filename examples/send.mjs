// Sends one message with Node's own fetch, and repeats the call safely when no answer comes.
//   HODHOD_URL=http://127.0.0.1:8080 HODHOD_API_KEY=… node examples/send.mjs 10001234 09121234567 'سلام'
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

const url = process.env.HODHOD_URL ?? "http://127.0.0.1:8080";
const apiKey = process.env.HODHOD_API_KEY ?? "";
const [senderNumber, recipientNumber, content] = process.argv.slice(2);

/**
 * One key for all tries: whichever of them arrives, the message is sent once and each try gets the
 * same answer.
 */
async function send(message, idempotencyKey = randomUUID(), tries = 5) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(`${url}/messages/send`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": apiKey, "idempotency-key": idempotencyKey },
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(30_000),
      });
      const answer = await response.json();
      const later = [408, 409, 429, 500, 502, 503, 504].includes(response.status) && attempt < tries;
      if (!later) return { status: response.status, answer };
      await pause(Number(response.headers.get("retry-after") ?? 1) * 1000);
    } catch (error) {
      // No answer: the call may have arrived or not. With the same key it does not matter.
      if (attempt >= tries) throw error;
      await pause(attempt * 500);
    }
  }
}

const { status, answer } = await send({ senderNumber, recipientNumber, content });
if (status === 200) {
  console.log(`batch ${answer.batchId}: ${answer.message.parts} part(s), ${answer.message.cost} rials`);
} else {
  const verdict = status === 500 ? "not known whether it is sent" : "refused";
  console.error(`${verdict}, ${answer.errorCode}: ${answer.errorMessage}`);
  for (const { field, errorMessage } of answer.validationErrors ?? []) console.error(`  ${field}: ${errorMessage}`);
  process.exitCode = 1;
}
