// What stands below the tests at the end of a run: those that took longest, and those that passed
// only when they were tried again.
import type { Reporter, TestCase, TestModule } from "vitest/node";

const shownAtMost = 10;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export class RunReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const slowest = tests
      .map((test) => ({ test, ms: test.diagnostic()?.duration ?? 0 }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, shownAtMost);
    if (tests.length > shownAtMost) {
      say(`\nThe ${shownAtMost} slowest of ${tests.length} tests:`);
      for (const { test, ms } of slowest) say(`${(ms / 1000).toFixed(1).padStart(7)} s  ${nameOf(test)}`);
    }
    for (const test of tests.filter((each) => each.diagnostic()?.flaky === true)) {
      const [first] = test.result().errors ?? [];
      say(`FLAKY: ${nameOf(test)}: ${first?.message ?? "no message"}`);
    }
  }
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId}: ${test.fullName}`;
}
