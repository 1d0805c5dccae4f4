// A receiver of webhooks as a customer writes one: a process of its own, with the reference
// library. Its only argument is the secret. GET answers what it has taken.
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.argv[2]);
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
      const event = webhook.verify(body, request.headers);
      const events = event.type === "batch" ? event.data.events : [{ id: request.headers["webhook-id"], ...event }];
      for (const { id, type, data } of events) taken.push({ id, type, sentMessageId: data.sentMessageId });
      response.writeHead(204).end();
    } catch {
      refused += 1;
      response.writeHead(400).end();
    }
  });
});
server.listen(0, "127.0.0.1", () => console.log(`receiving on http://127.0.0.1:${server.address().port}`));
