// The demonstration server on the pipes of its own process: `node dist/demo.js`.
import { serveStdio } from "@lethe/server/node";
import { createDemoServer } from "./run/demo-server.ts";

await serveStdio(createDemoServer());
