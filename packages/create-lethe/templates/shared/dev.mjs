// Compiles every change and restarts the program: run by `__dev__`.
import { spawn } from "node:child_process";

const options = { stdio: "inherit", shell: true };
const children = [spawn("tsc --watch --preserveWatchOutput", options), spawn("node --watch dist/main.js", options)];
for (const child of children) child.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit());
process.on("exit", () => {
  for (const child of children) child.kill();
});
