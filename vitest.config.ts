import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // One worker per core of the smallest machine this is built on; PostgreSQL and the child processes want the rest.
    maxWorkers: 2,
    reporters: ["default"],
  },
});
