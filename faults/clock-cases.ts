// Cases in which the wall clock of a gateway is wrong: stepped by hours under load, or hours apart
// from another node's. Validity is measured by the database's clock and timeouts by a monotonic
// one, so none of it may end, delay, double or misreport anything. The database's clock stays true.
import { uuidv7Time } from "../src/platform/uuid.ts";
import { type CaseContext, type FaultCase, longestOf, underLoad, untilBack } from "./case.ts";
import { holdsWithin } from "../bench/look.ts";
import type { World, WorldOptions } from "./world.ts";

const hourMs = 3_600_000;
/** Shorter than the steps: by a wrong clock every message would be over before it was sent. */
const validityHours = 2;
const shortSteps = [3, -3, 0] as const;
const longSteps = [3, -3, 30, -30, 24 * 400, -24 * 400, 0.5, -0.5, 0] as const;
/** Between the step and the probe's id, on a busy machine. */
const toleranceMs = 60_000;
/** Until the gateway has looked at the clock again. */
const noticedMs = 8000;
/** Of the validity that is told to the operator. */
const toleranceSeconds = 300;

const options: WorldOptions = { policy: "hold", env: { HODHOD_VALIDITY_HOURS: String(validityHours) } };

function steppedClock(context: CaseContext) {
  return underLoad(context, { ...options, clockOffsetsMs: [0] }, async (world) => {
    const steps = context.full ? longSteps : shortSteps;
    const backMs = await longestOf(steps.length, async (round) => {
      const offsetMs = (steps[round] ?? 0) * hourMs;
      const { id } = await world.load.probe();
      world.node().stepClock(offsetMs);
      const again = await world.load.repeatProbe();
      world.check(again.id === id, "a repeated call was accepted again after the step");
      const back = await untilBack(world);
      await checkOffset(world, offsetMs);
      await world.load.accepts(100);
      return back;
    });
    checkValidity(world);
    return { backMs, note: `by ${steps.map((hours) => `${hours > 0 ? "+" : ""}${hours} h`).join(", ")}` };
  });
}

function clocksApart(context: CaseContext) {
  const apart = { ...options, nodes: 2, binds: 2, clockOffsetsMs: [3 * hourMs, -3 * hourMs] };
  return underLoad(context, apart, async (world) => {
    await world.load.accepts(context.full ? 1000 : 200);
    checkValidity(world);
    return { note: "6 h between them" };
  });
}

/** The gateway reports how far its clock is off, and its ids have the true time all the same. */
async function checkOffset(world: World, offsetMs: number): Promise<void> {
  const offMs = uuidv7Time((await world.load.probe()).id) - Date.now();
  world.check(Math.abs(offMs) < toleranceMs, `an id is ${offMs} ms off`);
  let reportedMs = 0;
  const isReported = async (): Promise<boolean> => {
    reportedMs = (await world.node().metric("hodhod_clock_off_seconds")) * 1000;
    return Math.abs(reportedMs - Math.abs(offsetMs)) < toleranceMs;
  };
  world.check(
    await holdsWithin(noticedMs, isReported),
    `the gateway reports that its clock is ${reportedMs} ms off, not ${offsetMs}`,
  );
}

function checkValidity(world: World): void {
  const { least, most } = world.operator.validitySeconds;
  const right = validityHours * 3600;
  world.check(
    least >= right - toleranceSeconds && most <= right + toleranceSeconds,
    `the operator was given a validity of ${least} to ${most} s, where ${right} s are right`,
  );
}

export const clockCases: readonly FaultCase[] = [
  { name: "clock-step", title: "wall clock of a gateway stepped by hours, hold", run: steppedClock },
  { name: "clocks-apart", title: "wall clocks of two nodes hours apart, hold", run: clocksApart },
];
