// The text that is kept of an error of a socket: always with its code, where it has one.
import type { CloseReason } from "./session-options.ts";

/** Errors of TLS do not name themselves in their message. */
export function socketErrorText({ message, code }: NodeJS.ErrnoException): string {
  const said = message.trimEnd();
  return code === undefined || said.includes(code) ? said : `${said} (${code})`;
}

export function disconnectedBy(error: Error): CloseReason {
  return { kind: "disconnected", message: socketErrorText(error), isError: true };
}
