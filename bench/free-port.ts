// A port for what is told its port, or comes back to it. One that the system has given (port 0) is
// no such thing: while nobody listens on it, the system gives it to the next connection that goes
// out.
import { once } from "node:events";
import { createServer } from "node:net";

/** From here up to where the ports of outgoing connections begin: at 32,768, or higher. */
const lowestPort = 10_000;
const ports = 22_768;

/** A port of 127.0.0.1 that nobody listens on, and that stays free as long as nobody chooses it. */
export async function freePort(): Promise<number> {
  const port = lowestPort + Math.floor(Math.random() * ports);
  const server = createServer().listen(port, "127.0.0.1");
  const isFree = await once(server, "listening").catch(() => undefined);
  if (isFree === undefined) return freePort();
  server.close();
  await once(server, "close");
  return port;
}
