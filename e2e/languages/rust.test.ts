// A server and a client of the Rust SDK. Building them takes two minutes, so only `npm run test:full` does it.
import { buildRust } from "../programs/rust.ts";
import { describePeer } from "./testing/describe-peer.ts";

const isFull = process.env.LETHE_FULL === "1";
const { program = "", reason } = isFull ? await buildRust() : { reason: "npm run test:full builds it" };

describePeer({
  name: "the Rust SDK 3.11.0",
  reason,
  server: () => ({ command: program, args: ["serve"] }),
  httpServer: {
    program: (port) => ({ command: program, args: ["serve", String(port)] }),
    path: "/mcp",
  },
  client: (url, mode) => ({ command: program, args: ["call", url, mode] }),
});
