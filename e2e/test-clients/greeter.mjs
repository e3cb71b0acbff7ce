// A server program for tests of stdio. It fails at its start if FAIL is set.
import { createServer } from "@lethe/server";
import { serveStdio } from "@lethe/server/node";

if (process.env.FAIL) {
  console.error("no database");
  process.exit(1);
}
await serveStdio(
  createServer({ name: "greeter", version: "1.0.0" }).tool("pid", { handler: () => String(process.pid) }),
);
