// Runs the sources directly (the private "@lethe/source" export condition), so tests need no build.
import { defineConfig } from "vitest/config";
import { setupFile, watchWire } from "./e2e/wire/testing/plugin.ts";

// Only what nobody sets by itself: "import" and "module" would also hold for a require() inside a dependency.
const conditions = ["@lethe/source", "node"];
const resolveSources = { resolve: { conditions }, ssr: { resolve: { conditions } }, plugins: [watchWire()] };
/** What our servers and clients write in any test is held against the schema of its revision. */
const setupFiles = [setupFile];

export default defineConfig({
  test: {
    maxWorkers: "100%",
    projects: [
      {
        ...resolveSources,
        test: {
          name: "unit",
          // No module keeps state, so the files of a worker share their imports: a fifth of the time.
          isolate: false,
          testTimeout: 30_000,
          // The files of a worker share one process: what one leaves running may disturb another once.
          retry: process.env.CI ? 1 : 0,
          setupFiles: [...setupFiles, "./scripts/own-timers.setup.ts"],
          include: ["{packages/*,conformance,bench,fuzz}/src/**/*.test.ts", "scripts/**/*.test.ts"],
        },
      },
      {
        ...resolveSources,
        // An example is a program with state of its own.
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
          // Other people's servers on a busy machine may be slow once; a defect is slow twice.
          retry: process.env.CI ? 1 : 0,
        },
      },
    ],
  },
});
