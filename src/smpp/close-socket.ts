// Closes a connection. `flush` sends what was written first, within a bounded time. `abandon` sends
// nothing more.

import type { Socket } from "node:net";

export type Unsent = "flush" | "abandon";

/** How long a closed socket may take to send its remaining octets. */
const lingerMs = 1000;

export function closeSocket(socket: Socket, unsent: Unsent): void {
  if (unsent === "abandon") {
    socket.destroy();
    return;
  }
  socket.end();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
