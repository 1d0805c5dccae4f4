import { connect, createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { answerBrokenRequest } from "../../src/http/error-response.ts";
import { readAnswer } from "../support/raw-http.ts";

/** What a client gets of a server that finds its request broken so. */
async function answerTo(code: string) {
  const error = Object.assign(new Error("x"), { code });
  const server = createServer((socket) => answerBrokenRequest(error, socket, (then) => then()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return readAnswer(connect((server.address() as AddressInfo).port, "127.0.0.1"));
}

it("answers 408 to a request that takes too long", async () => {
  const { head, body } = await answerTo("ERR_HTTP_REQUEST_TIMEOUT");
  expect(head).toContain("HTTP/1.1 408 Request Timeout");
  expect(JSON.parse(body)).toMatchObject({ errorCode: 408 });
});

it("says nothing to a peer that is gone", async () => {
  expect((await answerTo("ECONNRESET")).head).toBe("");
});
