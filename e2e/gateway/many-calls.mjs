// node --expose-gc many-calls.mjs COUNT: calls a gateway over HTTP, through a session of its upstream, and prints how
// much the heap has grown between a tenth of the calls and all of them. Some calls elicit input, some are cancelled, some fail.
import { fileURLToPath } from "node:url";
import { connect } from "@lethe/client/node";
import { serve } from "@lethe/server/node";
import { createGateway } from "lethe/gateway";

const count = Number(process.argv[2]);
const atOnce = 32;
const keeper = fileURLToPath(new URL("../servers/keeper.mjs", import.meta.url));
// Answered states are remembered until they expire, at most 100,000 of them: here they would hide a leak.
const singleUse = { claim: () => ({ status: "claimed" }), settle() {}, release() {} };
const upstreams = [{ kind: "stdio", name: "keeper", command: process.execPath, args: [keeper], env: {} }];
const gateway = createGateway({ upstreams }, { singleUse });
await gateway.settled;
const serving = await serve((path) => gateway.servableAt(path), { port: 0, path: "/mcp" });
// On stdio an elicitation may arrive through any call whose caller accepts one. Cancelled calls accept none.
const silent = await connect(serving.url);
const client = await connect(serving.url, { elicit: () => ({ action: "accept", content: { name: "Ann" } }) });

async function call(index) {
  switch (index % 100) {
    case 0:
      return client.callTool("keeper__whoami");
    case 1:
      return client.callTool("keeper__count", { steps: 3 }, { onProgress: () => {} });
    case 2:
      return client.callTool("keeper__unknown").catch(() => {});
    case 3: {
      const stop = new AbortController();
      const waiting = silent.callTool("keeper__wait", {}, { signal: stop.signal }).catch(() => {});
      setImmediate(() => stop.abort());
      return waiting;
    }
    default:
      return client.callTool("keeper__snapshot");
  }
}

async function callTimes(times) {
  let next = 0;
  const caller = async () => {
    while (next < times) await call(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
}

async function heapBytes() {
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

await callTimes(count / 10);
const early = await heapBytes();
await callTimes(count - count / 10);
const late = await heapBytes();
const pendingCalls = gateway.pendingCalls.length;
await Promise.all([client.close(), silent.close()]);
await serving.close({ graceMs: 0 });
await gateway.close();
console.log(JSON.stringify({ heapGrowth: late - early, pendingCalls }));
