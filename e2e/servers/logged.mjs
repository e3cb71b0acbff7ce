// Starts the server that its arguments name, forwards its messages, and writes each call that reaches it to stderr.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { method, params } = JSON.parse(line);
    if (method === "tools/call") console.error(`called ${params.name}`);
    server.stdin.write(`${line}\n`);
  })
  .on("close", () => server.stdin.end());
server.on("exit", (code) => process.exit(code ?? 1));
