// npm start: from a fresh clone to a running gateway over three real servers. Further arguments go to `lethe gateway`.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { makeReady } from "./ready.mjs";

makeReady();

const root = fileURLToPath(new URL("..", import.meta.url));
const given = process.argv.slice(2);
const config = given.includes("--config") ? [] : ["--config", "examples/gateway/servers.json"];
const gateway = spawn(process.execPath, ["packages/cli/dist/main.js", "gateway", ...config, ...given], {
  cwd: root,
  stdio: "inherit",
});
// A terminal sends Ctrl-C to the whole foreground group. A kill reaches only this process, so it is forwarded.
if (process.stdin.isTTY) process.on("SIGINT", () => {});
else process.on("SIGINT", () => gateway.kill("SIGINT"));
process.on("SIGTERM", () => gateway.kill("SIGTERM"));
gateway.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 0)));
