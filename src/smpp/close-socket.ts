// The end of a connection. `flush`: what was written is sent first, in a bounded time; `abandon`: not another octet.

import type { Socket } from "node:net";

export type Unsent = "flush" | "abandon";

/** How long a closed socket may take to send what it still holds. */
const lingerMs = 1000;

export function closeSocket(socket: Socket, unsent: Unsent): void {
  if (unsent === "abandon") {
    socket.destroy();
    return;
  }
  socket.end();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
