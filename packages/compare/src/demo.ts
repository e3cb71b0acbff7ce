// Runs the demonstration server over stdio: `node dist/demo.js`.
import { serveStdio } from "@lethe/server/node";
import { createDemoServer } from "./run/demo-server.ts";

await serveStdio(createDemoServer());
