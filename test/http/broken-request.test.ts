import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { answerBrokenRequest } from "../../src/http/error-response.ts";
import { readAnswer } from "../support/raw-http.ts";

/** A client of a server that finds each request broken so. */
async function connectWithFault(code: string): Promise<Socket> {
  const error = Object.assign(new Error("x"), { code });
  const server = createServer((socket) => answerBrokenRequest(error, socket, (then) => then()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return connect((server.address() as AddressInfo).port, "127.0.0.1");
}

it.each([
  ["HPE_INVALID_METHOD", 400, "Bad Request"],
  ["HPE_HEADER_OVERFLOW", 413, "Payload Too Large"],
  ["ERR_HTTP_REQUEST_TIMEOUT", 408, "Request Timeout"],
])("%s is answered %i in the body of every error, and the connection ends", async (code, status, phrase) => {
  const socket = await connectWithFault(code);
  const answer = await readAnswer(socket);
  expect(answer.head).toContain(`HTTP/1.1 ${status} ${phrase}`);
  expect(JSON.parse(answer.body)).toMatchObject({ errorCode: status });
  if (!socket.readableEnded) await once(socket, "end");
});

it("tells a caller whose URL is far too long that it may be the URL", async () => {
  const { body } = await readAnswer(await connectWithFault("HPE_HEADER_OVERFLOW"));
  expect(body).toContain("The URL and the header fields of the request are too large");
});

it("says nothing to a peer that is gone", async () => {
  expect((await readAnswer(await connectWithFault("ECONNRESET"))).head).toBe("");
});
