// Contender: Lethe's web-standard fetch handler on Node, through Hono's adapter.
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { announce, portFromEnvironment } from "./contenders/listen.ts";
import { createGreetingServer } from "./greeting-server.ts";

const server = createGreetingServer();
process.on("SIGUSR2", () => server.toolsChanged());
serve({ fetch: server.fetch, port: portFromEnvironment(), hostname: "127.0.0.1" }, ({ port }: AddressInfo) =>
  announce(port),
);
