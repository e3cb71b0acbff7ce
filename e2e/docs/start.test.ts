// Runs the transcripts of docs/start/ in an empty folder, with the built command and servers of node_modules, and checks the gateway's
// configurations that documents show.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseSourceFile } from "../../packages/gateway/src/config/source-file.ts";
import { toConfig } from "../../packages/gateway/src/config/to-config.ts";
import { freePort } from "../processes/testing/free-port.ts";
import { ownState } from "../processes/testing/own-state.ts";
import { createShell, expectOutput, stepsIn } from "./testing/transcript.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lethe-start-"));
let port: number;
const shell = createShell(
  () => ({ ...process.env, ...ownState, NO_COLOR: "1", npm_config_offline: "true" }),
  // The second line of this form follows when all servers are read.
  /^Listening on .* tools.*^Ctrl-C stops it/ms,
);

beforeAll(async () => {
  port = await freePort();
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), "{}");
});

afterAll(() => {
  shell.close();
  rmSync(folder, { recursive: true });
});

/** Documents use the default port, which may be in use on the machine of a test. */
function readGuide(name: string): string {
  return readFileSync(join(root, "docs/start", name), "utf8")
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`)
    .replaceAll("lethe gateway --config servers.json\n", `lethe gateway --config servers.json --port ${port}\n`);
}

it.each(["gateway.md", "client.md"])(
  "the commands of docs/start/%s print what it shows",
  async (name) => {
    const guide = readGuide(name);
    for (const [, file = "", text = ""] of guide.matchAll(/write this as `([\w.]+)`:\n\n```json\n(.*?)^```$/gms)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const steps = stepsIn(guide);
    expect(steps.length).toBeGreaterThan(1);
    for (const step of steps) expectOutput(await shell.run(step.command, folder), step);
  },
  180_000,
);

it.each(["start/gateway.md", "operations/troubleshooting.md", "gateway/files.md", "tasks.md"])(
  "the gateway accepts each configuration of docs/%s",
  (name) => {
    const text = readFileSync(join(root, "docs", name), "utf8");
    const blocks = [...text.matchAll(/^```jsonc?\n(\{\n.*?"(?:mcpServers|gateway)".*?)^```$/gms)].map(
      ([, block = ""]) => block,
    );
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      // Some blocks show the gateway's settings alone.
      const whole = block.includes('"mcpServers"')
        ? block
        : block.replace("{", '{ "mcpServers": { "a": { "command": "a" } },');
      const names = [...block.matchAll(/\$\{([A-Z]\w*)\}/g)].map(([, variable = ""]) => variable);
      const environment = Object.fromEntries(names.map((variable) => [variable, `a-value-for-${variable}`]));
      expect(toConfig([parseSourceFile(name, whole)], { environment }).config.upstreams.length).toBeGreaterThan(0);
    }
  },
);
