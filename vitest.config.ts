import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    // They only end what hangs: the waits of the tests have deadlines of their own, all shorter, for a machine that is many times slower.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // One worker per core of the smallest machine this is built on; PostgreSQL and the child processes want the rest.
    maxWorkers: 2,
    reporters: ["default"],
  },
});
