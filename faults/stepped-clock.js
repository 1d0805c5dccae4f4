// Preloaded into a gateway (NODE_OPTIONS=--import) whose wall clock a case steps, as an
// administrator or a time server would step it: SIGUSR2 makes it read from a file how many
// milliseconds it is off. Timers and performance.now() go on as they are: a step does not touch
// them either.
import { readFileSync } from "node:fs";

const file = process.env.FAULTS_CLOCK_FILE;
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
