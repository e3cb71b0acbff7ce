// A gateway whose log is a file on a disk without space.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { main, root } from "../processes/lethe.ts";
import { freePort } from "../processes/testing/free-port.ts";
import { ownState } from "../processes/testing/own-state.ts";

const memory = {
  command: "node",
  args: [join(root, "node_modules/@modelcontextprotocol/server-memory/dist/index.js")],
};

it.runIf(process.platform === "linux").each([1, 2])(
  "a gateway with %i workers serves and stops while the disk of its log is full",
  async (workers) => {
    const folder = await mkdtemp(join(tmpdir(), "lethe-full-"));
    const file = join(folder, "lethe.json");
    const port = await freePort();
    await writeFile(file, JSON.stringify({ mcpServers: { memory }, gateway: { port } }));
    const full = await open("/dev/full", "w");
    const gateway = spawn(
      process.execPath,
      [main, "gateway", "--config", file, "--log", "json", "--workers", String(workers)],
      {
        stdio: ["ignore", "ignore", full.fd],
        env: { ...process.env, ...ownState },
      },
    );
    const ended = once(gateway, "exit");
    try {
      const isReady = () =>
        fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
          ({ ok }) => ok,
          () => false,
        );
      await expect.poll(isReady).toBe(true);
      gateway.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    } finally {
      gateway.kill("SIGKILL");
      await full.close();
      await rm(folder, { recursive: true });
    }
  },
);
