// Takes the screenshots of the console: npm run screenshots. Not part of any test run.
import { defineConfig } from "vitest/config";

const conditions = ["@lethe/source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ["e2e/console/testing/screenshots/take.ts"], testTimeout: 300_000, hookTimeout: 120_000 },
});
