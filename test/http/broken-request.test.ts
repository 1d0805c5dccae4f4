import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { answerBrokenRequest } from "../../src/http/error-response.ts";
import { readAnswer } from "../support/raw-http.ts";

const atOnce = (then: () => void): void => then();

it.each([
  ["HPE_INVALID_METHOD", 400, "Bad Request"],
  ["HPE_HEADER_OVERFLOW", 413, "Payload Too Large"],
  ["ERR_HTTP_REQUEST_TIMEOUT", 408, "Request Timeout"],
])("%s is answered %i in the body of every error, and the connection ends", async (code, status, phrase) => {
  const server = createServer((socket) => answerBrokenRequest(Object.assign(new Error("x"), { code }), socket, atOnce));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const answer = await readAnswer(socket);
  expect(answer.head).toContain(`HTTP/1.1 ${status} ${phrase}`);
  expect(JSON.parse(answer.body)).toMatchObject({ errorCode: status });
  if (!socket.readableEnded) await once(socket, "end");
});

it("tells a caller whose URL is far too long that it may be the URL", async () => {
  const error = Object.assign(new Error("x"), { code: "HPE_HEADER_OVERFLOW" });
  const server = createServer((socket) => answerBrokenRequest(error, socket, atOnce));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  expect((await readAnswer(socket)).body).toContain("The URL and the header fields of the request are too large");
});

it("says nothing to a peer that is gone", async () => {
  const server = createServer((socket) => {
    answerBrokenRequest(Object.assign(new Error("x"), { code: "ECONNRESET" }), socket, atOnce);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  expect((await readAnswer(socket)).head).toBe("");
});
