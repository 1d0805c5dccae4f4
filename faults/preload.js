// Preloaded into the gateways of cases (NODE_OPTIONS=--import).
import dns from "node:dns/promises";
import { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { FAULTS_CLOCK_FILE: file, FAULTS_MOVING_NAMES: moving } = process.env;

// A wall clock that a case steps, as an administrator or a time server would step it: SIGUSR2 makes
// it read from a file how many milliseconds it is off. Timers and performance.now() go on as they
// are: a step does not touch them either.
if (file !== undefined) {
  const RealDate = Date;
  const readOffset = () => Number(readFileSync(file, "utf8"));
  let offsetMs = readOffset();
  const now = () => RealDate.now() + offsetMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
  });
  process.on("SIGUSR2", () => {
    offsetMs = readOffset();
  });
}

// Every name leads to 127.0.0.1 when it is looked up first, and to 127.0.0.2 from then on.
if (moving !== undefined) {
  const known = new Set();
  dns.Resolver = class extends dns.Resolver {
    async resolve4(name) {
      const address = known.has(name) ? "127.0.0.2" : "127.0.0.1";
      known.add(name);
      return [address];
    }
    async resolve6() {
      return [];
    }
  };
  syncBuiltinESMExports();
}
