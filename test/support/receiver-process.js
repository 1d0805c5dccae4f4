// A receiver of webhooks as a customer writes one: a process of its own, with the reference
// library. Its arguments are the secret, how many milliseconds it takes before it answers, and
// "any-time" where the clock of the gateway is stepped: the time of a signature is not judged then.
// GET answers what it has taken.
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const [, , secret, delayMs = "0", judgedTime] = process.argv;
const webhook = new Webhook(secret);
const verify = judgedTime === "any-time" ? verifyOfAnyTime : (body, headers) => webhook.verify(body, headers);

function verifyOfAnyTime(body, headers) {
  const signedAt = new Date(Number(headers["webhook-timestamp"]) * 1000);
  if (headers["webhook-signature"] !== webhook.sign(headers["webhook-id"], signedAt, body))
    throw new Error("signature");
  return JSON.parse(body);
}

const taken = [];
let refused = 0;

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ taken, refused }));
    return;
  }
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (text) => (body += text));
  request.on("end", () => {
    try {
      const event = verify(body, request.headers);
      const events = event.type === "batch" ? event.data.events : [{ id: request.headers["webhook-id"], ...event }];
      for (const { id, type, timestamp, data } of events)
        taken.push({ id, type, sentMessageId: data.sentMessageId, afterMs: Date.now() - Date.parse(timestamp) });
      setTimeout(() => response.writeHead(204).end(), Number(delayMs));
    } catch {
      refused += 1;
      response.writeHead(400).end();
    }
  });
});
server.listen(0, "127.0.0.1", () => console.log(`receiving on http://127.0.0.1:${server.address().port}`));
