import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openWebhookParts } from "../../../src/http/webhooks/endpoint-call.ts";

async function openReceiver(): Promise<{ readonly url: string; requests: () => number }> {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests: () => requests };
}

it("tests of webhooks are sent until the service stops, and not after it", async () => {
  const { url, requests } = await openReceiver();
  const request = {
    url,
    id: "msg_1",
    body: "{}",
    secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    startedAt: new Date(),
  };
  const used = openWebhookParts(["127.0.0.0/8"]);
  expect(await used.parts.poster.post(request)).toMatchObject({ httpStatus: 200 });
  await used.service.stop();
  expect(await used.parts.poster.post(request)).toMatchObject({ failure: "connection" });
  // Nothing has loaded the HTTP client.
  const unused = openWebhookParts(["127.0.0.0/8"]);
  await unused.service.stop();
  expect(await unused.parts.poster.post(request)).toMatchObject({ failure: "connection" });
  expect(requests()).toBe(1);
});
