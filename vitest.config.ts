import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { builtFiles, builtProduct } from "./test/support/built-product.ts";
import { RunReport } from "./test/support/run-report.ts";

/** Functions and sessions without a database: all of them in seconds. They share a process. */
const pure = ["test/{sms,smpp,simulator,tables,texts,events,figures}/*.test.ts"];

/**
 * They look at what a process has for itself: its environment, its warnings, the processor time it
 * took, the memory it keeps, the locks it holds.
 */
const isolated = [
  "test/{demo,fuzz,postgres}/**/*.test.ts",
  "test/platform/config.test.ts",
  "test/platform/telemetry.test.ts",
];

/** Parts of the server that start no process and open no page: each file takes a second or two. */
const short = /\/test\/(connectors|credentials|directory|http|inbound|intake|maintenance|setup|store)\//;

/**
 * A process that files share ends when the next file is of another project, so each project's files
 * stand together. What takes long comes first, so that none is left alone at the end: within one
 * group vitest's own order, by the duration of the last run, or by size.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number =>
      2 * ["isolated", "integration", "pure"].indexOf(project.name) + Number(short.test(moduleId));
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

// They only end what hangs: the waits of the tests have deadlines of their own, all shorter, for a
// machine that is many times slower.
const timeouts = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000, interval: 100 } } };

const common = { ...timeouts, server: { deps: { external: [builtFiles] } } };

const withDatabase = {
  setupFiles: ["test/support/each-file.ts"],
  ...common,
};

/** Where `.ci/run` reads what became of each test. */
const reportFile = process.env["TEST_REPORT"];
const jsonReport = (outputFile: string): ["json", { outputFile: string }] => ["json", { outputFile }];

export default defineConfig({
  test: {
    // Of the whole run: the projects use one cluster.
    globalSetup: ["test/support/global-setup.ts"],
    projects: [
      { test: { name: "pure", include: pure, isolate: false, ...common }, plugins: [builtProduct()] },
      { test: { name: "isolated", include: isolated, ...withDatabase }, plugins: [builtProduct()] },
      // Parts of the server, pages in Chromium, whole gateways and commands. One project, so that a
      // process loads the product once for all files that it runs.
      {
        test: {
          name: "integration",
          include: ["test/**/*.test.ts"],
          exclude: [...pure, ...isolated],
          isolate: false,
          ...withDatabase,
        },
        plugins: [builtProduct()],
      },
    ],
    // Four for each core of the smallest machine this is built on: a file waits for more than half of
    // its time, for timers and for what comes over a socket.
    maxWorkers: 8,
    sequence: { sequencer: LongFirst },
    reporters: ["default", new RunReport(), ...(reportFile === undefined ? [] : [jsonReport(reportFile)])],
  },
});
