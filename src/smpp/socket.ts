// The text that is kept of an error of a socket: always with its code, where it has one.
import type { CloseReason } from "./session-options.ts";
import type { Socket } from "node:net";

/** Errors of TLS do not name themselves in their message. */
export function socketErrorText({ message, code }: NodeJS.ErrnoException): string {
  const said = message.trimEnd();
  return code === undefined || said.includes(code) ? said : `${said} (${code})`;
}

export function disconnectedBy(error: Error): CloseReason {
  return { kind: "disconnected", message: socketErrorText(error), isError: true };
}

// Closes a connection. `flush` sends what was written first, within a bounded time. `abandon` sends
// nothing more.

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
