// What happens to a request that is answered before it has come whole: what still comes is thrown away for a while, so that a caller that
// goes on writing can read the answer. A socket closed at once would take the answer with it.
import { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import type { Call } from "./connection-guard.ts";

/** So little is waited for, and the connection goes on with its next request. */
const shortRest = 64 << 10;

/** To be called when the answer is about to be sent. */
export function throwAwayRest(call: Call, reply: FastifyReply, lingerMs: number): void {
  const { request, response, connection } = call;
  if (request.complete || !announcesBody(call)) return;
  const { socket } = connection;
  const isShort = Number(request.headers["content-length"]) <= shortRest && !call.awaitsContinue;
  if (!isShort) {
    connection.isEnding = true;
    void reply.header("connection", "close");
    // Node.js calls it after the last answer. Reading goes on until the caller has written all, or for so long.
    socket.destroySoon = () => {
      socket.end();
      if (request.complete) Socket.prototype.destroySoon.call(socket);
      else request.once("end", () => Socket.prototype.destroySoon.call(socket));
    };
  }
  response.once("finish", () => {
    setTimeout(() => {
      if (!request.complete || connection.isEnding) socket.destroy();
    }, lingerMs).unref();
  });
}

function announcesBody({ request: { headers } }: Call): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
