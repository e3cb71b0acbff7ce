// Runs the sources directly (the private "@lethe/source" export condition), so tests need no build.
import { defineConfig } from "vitest/config";
import { setupFile, watchWire } from "./e2e/wire/testing/plugin.ts";

// Omits "import" and "module", because they would also apply to require() inside a dependency.
const conditions = ["@lethe/source", "node"];
const resolveSources = { resolve: { conditions }, ssr: { resolve: { conditions } }, plugins: [watchWire()] };
/** Validates every message that servers and clients write in a test by the schema of its revision. */
const setupFiles = [setupFile];

export default defineConfig({
  test: {
    maxWorkers: "100%",
    projects: [
      {
        ...resolveSources,
        test: {
          name: "unit",
          // No module keeps state, so test files of a worker share imports. This takes a fifth of the time.
          isolate: false,
          testTimeout: 30_000,
          // Test files of a worker share one process, so work that one leaves running may disturb another once.
          retry: process.env.CI ? 1 : 0,
          setupFiles: [...setupFiles, "./scripts/own-timers.setup.ts"],
          include: [
            "{packages/*,conformance,bench,fuzz,faults,simulation,site}/src/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
        },
      },
      {
        ...resolveSources,
        // Examples are programs with their own state, so they are isolated.
        test: { name: "examples", setupFiles, include: ["examples/{,tracker/,reports/}src/**/*.test.ts"] },
      },
      {
        ...resolveSources,
        test: {
          name: "e2e",
          setupFiles,
          include: ["e2e/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // What a test waits for is a matter of processes, which a busy machine starts slowly.
          expect: { poll: { timeout: 20_000 } },
          // A foreign server on a busy machine may be slow once. A defect fails twice.
          retry: process.env.CI ? 1 : 0,
        },
      },
    ],
  },
});
