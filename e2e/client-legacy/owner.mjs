// A program that owns one server process that ignores signals. Prints both pids, then ends as its argument says.
import { spawnServer } from "@lethe/client/node";

const child = "process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); setInterval(() => {}, 1000)";
const server = await spawnServer({
  command: process.execPath,
  args: [
    "-e",
    `${child}; const { pid } = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}]);
     console.log(pid);`,
  ],
});
const [line] = await server.stdout.take(1).toArray();
console.log(JSON.stringify([server.pid, Number(line)]));

const end = process.argv[2];
if (end === "exit") process.exit(0);
if (end === "throw") {
  setTimeout(() => {
    throw new Error("as told");
  });
}
if (end === "handler") process.on("SIGINT", () => process.exit(7));
