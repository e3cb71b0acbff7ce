// SIGHUP, as `systemctl reload` sends it, at a gateway that has not finished its start. Supervisors take an end by SIGHUP for a wanted one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { main } from "../processes/lethe.ts";
import { ownState } from "../processes/testing/own-state.ts";

it.each([1, 2])(
  "a gateway with %i workers continues its start when it gets SIGHUP, and ends with the reason of its own failure",
  async (workers) => {
    const folder = await mkdtemp(join(tmpdir(), "lethe-hang-up-"));
    // The gateway waits for the answers of this store, which never come.
    const store = createServer(() => gateway.kill("SIGHUP")).listen(0, "127.0.0.1");
    await once(store, "listening");
    const { port } = store.address() as AddressInfo;
    const file = join(folder, "lethe.json");
    const redis = { url: `redis://127.0.0.1:${port}`, commandTimeoutMs: 200 };
    await writeFile(file, JSON.stringify({ mcpServers: { unused: { command: "node" } }, gateway: { port: 0, redis } }));
    const LETHE_KEYS = `k1:${Buffer.alloc(32, 4).toString("base64url")}`;
    const gateway = spawn(process.execPath, [main, "gateway", "--config", file, "--workers", String(workers)], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...ownState, LETHE_KEYS },
    });
    let told = "";
    gateway.stderr?.on("data", (text) => {
      told += text;
    });
    const [code, signal] = await once(gateway, "close");
    store.close();
    await rm(folder, { recursive: true });
    expect([code, signal]).toEqual([2, null]);
    expect(told).toContain("error: gateway.redis: ");
  },
);
