// A port for what is told its port, or comes back to it. One that the system has given (port 0) is
// no such thing: while nobody listens on it, the system gives it to the next connection that goes
// out.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

const lowestPort = 10_000;
const usualLowestOutgoing = 32_768;
/** Fewer to choose from would be the same ones again and again. */
const fewestPorts = 2_000;

/** The lowest port that the system gives to outgoing connections. */
function lowestOutgoing(): number {
  try {
    const range = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8");
    return Number.parseInt(range, 10) || usualLowestOutgoing;
  } catch {
    // Not Linux: by convention they begin at 49,152.
    return usualLowestOutgoing;
  }
}

/** A port of 127.0.0.1 that nobody listens on, and that stays free as long as nobody chooses it. */
export async function freePort(): Promise<number> {
  const highest = Math.max(lowestOutgoing(), lowestPort + fewestPorts);
  for (;;) {
    const port = lowestPort + Math.floor(Math.random() * (highest - lowestPort));
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
