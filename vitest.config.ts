import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { builtFiles, builtProduct } from "./test/support/built-product.ts";
import { RunReport } from "./test/support/run-report.ts";

/**
 * They need no database and leave nothing behind in their modules, so they share a process: to
 * start one costs more than most of them.
 */
const pure = [
  "test/{sms,smpp}/**/*.test.ts",
  "test/bench/{http-load,percentiles,scenario}.test.ts",
  "test/faults/{audit,load,soak-verdict}.test.ts",
  "test/support/fold-parts.test.ts",
];

/**
 * They need a database and no process of their own: each file closes what it opened. To start one
 * and load all modules anew takes a third of their time.
 */
const rooms = [
  "connectors",
  "credentials",
  "directory",
  "figures",
  "http",
  "inbound",
  "intake",
  "maintenance",
  "setup",
  "simulator",
  "store",
].map((room) => `test/${room}/**/*.test.ts`);

/**
 * They look at what a process has for itself: its environment, its warnings, the processor time it
 * took, the memory it keeps, the locks it holds.
 */
const alone = [
  "test/{demo,fuzz,postgres}/**/*.test.ts",
  "test/bench/machine.test.ts",
  "test/faults/gateway-clock.test.ts",
  "test/support/axe.test.ts",
  "test/platform/config.test.ts",
  "test/platform/telemetry.test.ts",
  "test/flows/reader-costs.test.ts",
  "test/webhooks/endpoint-lane.test.ts",
];

/**
 * A process that files share ends when the next file is of another project, and to start one and
 * load the product costs a second. So each project's files stand together.
 */
const projectOrder = ["alone", "whole", "rooms", "pure"];

/**
 * They take longest, so they start first in their project: else the last of them run alone. Each
 * row after the first begins with a file that waits for most of its time. Many of these side by
 * side would leave the processors idle, so others stand between them.
 */
const longest = [
  ["test/postgres/", "test/demo/", "test/fuzz/", "test/console/"],
  ["dispatch/dispatcher", "build", "cli/apply-nodes", "flows/workers", "cli/backup", "cli/apply"],
  ["dispatch/connector-supervisor", "flows/crash", "cli/block-list", "flows/webhooks"],
  ["webhooks/webhook-service", "cli/staff", "flows/nodes", "cli/cli"],
  ["flows/database-away", "clients/package", "packed", "flows/operator-behaviours"],
  ["flows/links", "cli/send", "heap-growth", "dispatch/hand-over"],
  ["flows/uncertain-outcome", "flows/acceptance", "clients/client", "flows/sending-rules"],
  ["webhooks/event-sender", "cli/staff-commands", "flows/limits", "cli/message"],
  ["clients/bad-network", "flows/upgrade", "dispatch/outcome-recorder", "examples"],
  ["flows/payload", "webhooks/posting-thread", "cli/failure-text", "flows/erase-killed"],
  ["dispatch/membership", "cli/ported-numbers", "flows/inbound", "flows/operator-off"],
  ["flows/receipts", "flows/references", "cli/with-database", "flows/specification"],
  ["http/limits/connection-guard", "setup/apply-setup", "directory/load-directory", "store/backup"],
  ["http/authenticate-flood", "maintenance/erase-texts", "setup/read-rules", "store/message-timeline"],
  ["http/console/live", "store/partitions", "setup/setup-keys", "http/server"],
  ["http/console/present-caller", "store/prefer-indexes", "setup/setup-document", "store/message-queue"],
  ["simulator/simulated-smsc", "intake/accept-batch", "http/console/foreign-ids"],
  ["http/console/connector-test", "http/raw-query", "store/outcomes"],
  ["http/console/register-console", "connectors/smpp/smpp-connector"],
  ["smpp/session-flood", "smpp/session-end"],
]
  .flat()
  .map((file) => (file.endsWith("/") ? file : `/${file}.test.ts`));

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number => {
      const place = longest.findIndex((each) => moduleId.includes(each));
      return projectOrder.indexOf(project.name) * 100 + (place === -1 ? longest.length : place);
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

// They only end what hangs: the waits of the tests have deadlines of their own, all shorter, for a
// machine that is many times slower.
const timeouts = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

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
      { test: { name: "alone", include: alone, ...withDatabase }, plugins: [builtProduct()] },
      { test: { name: "rooms", include: rooms, isolate: false, ...withDatabase }, plugins: [builtProduct()] },
      // Whole gateways, pages and commands. They share processes apart from the rooms, of which some
      // measure the memory of theirs.
      {
        test: {
          name: "whole",
          include: ["test/**/*.test.ts"],
          exclude: [...pure, ...alone, ...rooms],
          isolate: false,
          ...withDatabase,
        },
        plugins: [builtProduct()],
      },
    ],
    // Three for each core of the smallest machine this is built on: a file waits for half of its
    // time, for timers and for what comes over a socket.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", new RunReport(), ...(reportFile === undefined ? [] : [jsonReport(reportFile)])],
  },
});
