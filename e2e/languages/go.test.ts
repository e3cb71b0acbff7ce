// A server and a client of the Go SDK. Building them takes a minute, so only `npm run test:full` does it.
import { buildGo } from "../programs/go.ts";
import { describePeer } from "./testing/describe-peer.ts";

const isFull = process.env.LETHE_FULL === "1";
const { program = "", reason } = isFull ? await buildGo() : { reason: "npm run test:full builds it" };

describePeer({
  name: "the Go SDK 1.8.0",
  reason,
  server: () => ({ command: program, args: ["serve"] }),
  client: (url, mode) => ({ command: program, args: ["call", url, mode] }),
});
