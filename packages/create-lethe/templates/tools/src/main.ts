// Starts the server: over HTTP at http://127.0.0.1:3000/mcp, or with --stdio for a client that starts it as a process.
import { serve, serveStdio } from "@lethe/server/node";
import { createToolServer } from "./server.ts";

const server = createToolServer();

if (process.argv.includes("--stdio")) {
  await serveStdio(server);
} else {
  const serving = await serve(server, { port: Number(process.env.PORT ?? 3000) });
  console.log(`Listening on ${serving.url}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void serving.close());
}
