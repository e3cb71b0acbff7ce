// Bundles a Worker into one module, serves it in workerd with LETHE_KEYS as binding, and prints its URL. Without an argument, the
// Worker is worker.mjs.
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const folder = mkdtempSync(join(tmpdir(), "lethe-workerd-"));
const input = resolve(process.argv[2] ?? fileURLToPath(new URL("worker.mjs", import.meta.url)));
const bundle = await rolldown({ input, platform: "browser" });
await bundle.write({ file: join(folder, "worker.js"), codeSplitting: false });
const key = process.env.LETHE_KEYS;
const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  bindings = [${key === undefined ? "" : `(name = "LETHE_KEYS", text = "${key}")`}],
  compatibilityDate = "2026-07-01",
);
`;
writeFileSync(join(folder, "config.capnp"), config);
const binary = fileURLToPath(new URL("installed/node_modules/workerd/bin/workerd", import.meta.url));
const args = ["serve", join(folder, "config.capnp"), "--control-fd=3"];
const child = spawn(binary, args, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
process.on("SIGTERM", () => child.kill());
for await (const line of createInterface({ input: child.stdio[3] })) {
  const { event, port } = JSON.parse(line);
  if (event === "listen") console.log(`http://127.0.0.1:${port}/`);
}
