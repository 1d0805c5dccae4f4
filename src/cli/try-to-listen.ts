// Whether a gateway could listen on an address, found out by listening on it for a moment.
import { createServer } from "node:net";
import { CommandFailed } from "./command-context.ts";

/** Undefined where it can be listened on; else what is wrong, for whoever chose the address. */
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
      return new CommandFailed(`${address} is taken by another program`, {
        hint: "stop that program, or choose another port (HODHOD_PORT)",
      });
    case "EACCES":
      return new CommandFailed(`this user may not listen on ${address}`, {
        hint: "choose a port from 1024 on (HODHOD_PORT)",
      });
    default:
      return new CommandFailed(`${address} cannot be listened on (${code})`, {
        hint: "HODHOD_HOST must be an address of this machine",
      });
  }
}
