// Checks whether a gateway can listen on an address, by listening on it for a moment.
import { createServer } from "node:net";
import { CommandFailed } from "./command-failed.ts";

/** Undefined if listening works; otherwise the error to report. */
export function tryToListen(host: string, port: number): Promise<CommandFailed | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", ({ code = "" }: NodeJS.ErrnoException) => resolve(refusal(host, port, code)));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

function refusal(host: string, port: number, code: string): CommandFailed {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  switch (code) {
    case "EADDRINUSE":
      return new CommandFailed(`${address} is used by another program`, {
        hint: "stop that program, or choose another port (HODHOD_PORT)",
      });
    case "EACCES":
      return new CommandFailed(`this user is not allowed to listen on ${address}`, {
        hint: "choose a port of 1024 or higher (HODHOD_PORT)",
      });
    default:
      return new CommandFailed(`cannot listen on ${address} (${code})`, {
        hint: "HODHOD_HOST must be an address of this machine",
      });
  }
}
