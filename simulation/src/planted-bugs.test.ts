// The simulation finds bugs that are planted into the code that it runs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("../run.mjs", import.meta.url));

it.each([
  "renewal-counted-before-it-succeeded",
  "lease-judged-by-the-wrong-clock",
  "stale-owner-after-a-miss",
  "unacknowledged-counted-as-not-sent",
  "sent-again-with-another-number",
])("the simulation finds %s within 1,000 schedules", { timeout: 300_000 }, async (name) => {
  const args = [program, "--plant", name, "--schedules", "1000", "--threads", "1", "--until-found"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(output).toMatch(/schedule \d+: \d/);
  expect(code).toBe(1);
});
