// Starts `lethe gateway` in front of a server that answers at once, and reads its processor time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const startLimitMs = 60_000;
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const command = path("../../packages/cli/dist/main.js");
const server = path("../../bench/dist/contenders/official-v1-stdio.js");
const hook = new URL("report-usage.mjs", import.meta.url).href;

/** `cores` are those of the benchmark. The server may use both, so that it does not wait for the gateway. */
export async function startMeasuredGateway({ folder, cores: { prefix, eitherPrefix }, bodies }) {
  const port = await freePort();
  const [program, ...args] = [...eitherPrefix, process.execPath, server];
  const file = join(folder, "servers.json");
  const bench = { command: program, args, env: { TOOLS: "1" } };
  const settings = { admin: { bodies } };
  writeFileSync(file, JSON.stringify({ mcpServers: { bench }, gateway: settings }));
  const own = [process.execPath, "--import", hook, command];
  const [first, ...rest] = [...prefix, ...own, "gateway", "--config", file, "--port", String(port), "--no-watch"];
  const child = spawn(first, rest, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("the gateway ended")));
  ended.catch(() => {});
  await Promise.race([untilReady(port), ended]);
  return {
    port,
    /** User and system time of all threads, in microseconds. */
    async usage() {
      child.send("usage");
      const [{ user, system }] = await Promise.race([once(child, "message"), ended]);
      return user + system;
    },
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function untilReady(port) {
  const deadline = Date.now() + startLimitMs;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > deadline) throw new Error("the gateway did not become ready");
    await sleep(100);
  }
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
