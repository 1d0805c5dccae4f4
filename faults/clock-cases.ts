// Cases in which the wall clock of a gateway is wrong: stepped by hours under load, or hours apart
// from another node's. Validity is measured by the database's clock and timeouts by a monotonic
// one, so none of it may end, delay, double or misreport anything. The database's clock stays true.
import { uuidv7Time } from "../src/platform/uuid.ts";
import { type CaseContext, type FaultCase, type FaultReport, longestOf, underLoad, untilBack } from "./case.ts";
import type { PromisedMessage } from "./load.ts";
import type { World, WorldOptions } from "./world.ts";

const hourMs = 3_600_000;
/** Shorter than the steps: by a wrong clock every message would be over before it was sent. */
const validityHours = 2;
const shortSteps = [3, -3, 0] as const;
const longSteps = [3, -3, 30, -30, 24 * 400, -24 * 400, 0.5, -0.5, 0] as const;
/** Between the step and the probe's id, on a busy machine. */
const toleranceMs = 60_000;
/** Of the validity that is told to the operator. */
const toleranceSeconds = 300;

const options: WorldOptions = { policy: "hold", env: { HODHOD_VALIDITY_HOURS: String(validityHours) } };

function steppedClock(context: CaseContext) {
  const { full, server } = context;
  return underLoad(context, { ...options, server, clockOffsetsMs: [0] }, async (world): Promise<FaultReport> => {
    const steps = full ? longSteps : shortSteps;
    const problems: string[] = [];
    const backMs = await longestOf(steps.length, async (round) => {
      const offsetMs = (steps[round] ?? 0) * hourMs;
      const before = await world.load.probe();
      world.stepClock(offsetMs);
      const again = await world.load.repeatProbe();
      if (again?.id !== before.id) problems.push("a repeated call was accepted again after the step");
      const backMs = await untilBack(world);
      problems.push(...offsetProblems(await world.load.probe(), offsetMs, await world.clockOffMs()));
      await world.load.accepts(100);
      return backMs;
    });
    const note = `by ${steps.map((hours) => `${hours > 0 ? "+" : ""}${hours} h`).join(", ")}`;
    return { backMs, note, problems: [...problems, ...validityProblems(world)] };
  });
}

function clocksApart(context: CaseContext) {
  const { server } = context;
  const apart = { ...options, server, nodes: 2, binds: 2, clockOffsetsMs: [3 * hourMs, -3 * hourMs] };
  return underLoad(context, apart, async (world): Promise<FaultReport> => {
    await world.load.accepts(context.full ? 1000 : 200);
    return { note: "6 h between them", problems: validityProblems(world) };
  });
}

/** The gateway tells how far its clock is off, and its ids have the true time all the same. */
function offsetProblems({ id }: PromisedMessage, offsetMs: number, toldMs: number): readonly string[] {
  const offMs = uuidv7Time(id) - Date.now();
  return [
    ...(Math.abs(offMs) < toleranceMs ? [] : [`an id is ${offMs} ms off`]),
    ...(Math.abs(toldMs - Math.abs(offsetMs)) < toleranceMs
      ? []
      : [`the gateway tells that its clock is ${toldMs} ms off, not ${offsetMs}`]),
  ];
}

function validityProblems({ operator: { validitySeconds } }: World): readonly string[] {
  const { least, most } = validitySeconds;
  const right = validityHours * 3600;
  if (least >= right - toleranceSeconds && most <= right + toleranceSeconds) return [];
  return [`the operator was told a validity of ${least} to ${most} s, where ${right} s are right`];
}

export const clockCases: readonly FaultCase[] = [
  { name: "clock-step", title: "wall clock of a gateway stepped by hours, hold", run: steppedClock },
  { name: "clocks-apart", title: "wall clocks of two nodes hours apart, hold", run: clocksApart },
];
