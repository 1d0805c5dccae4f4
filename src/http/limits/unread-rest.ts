// The rest of a request that is answered before it has arrived completely. The input is discarded
// for a while, so that a caller that goes on writing can read the answer; closing the socket at
// once would lose it.
import { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { announcesBody } from "../body-octets.ts";
import type { Call } from "./connection-guard.ts";

/** Up to this size the rest is awaited, and the connection continues with its next request. */
const shortRest = 64 << 10;

/** Call it just before the answer is sent. */
export function throwAwayRest(call: Call, reply: FastifyReply, lingerMs: number): void {
  const { request, response, connection } = call;
  if (request.complete || !announcesBody(request.headers)) return;
  const { socket } = connection;
  const isShort = Number(request.headers["content-length"]) <= shortRest && !call.awaitsContinue;
  if (!isShort) {
    connection.isEnding = true;
    void reply.header("connection", "close");
    // Node.js calls this after the last answer. Reading continues until the caller has written
    // everything or the time is up.
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
