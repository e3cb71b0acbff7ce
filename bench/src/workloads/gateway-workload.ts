// One server on stdio, called directly and through gateways: what a gateway costs on top of what it stands in front of.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Contender } from "../contenders.ts";
import { directName, type GatewayContender, gateways } from "../gateways.ts";
import { ask } from "../load/ask.ts";
import { checkGreeting, checkHttpAnswer } from "../load/check-answer.ts";
import { runHttpLoad } from "../load/http-load.ts";
import { openSession } from "../load/session.ts";
import { openSocket } from "../load/socket.ts";
import { greetCall, rotation, toHttpRequest } from "../load/wire.ts";
import { type Child, startChild } from "../measure/child.ts";
import { loadColumns, sampleLoad } from "../measure/load-sample.ts";
import { prepareStdio } from "./stdio-workload.ts";
import { type Plan, type Ready, takeTurns, type Workload, warmUp } from "./workload.ts";

const server = [
  process.execPath,
  fileURLToPath(new URL("../../dist/contenders/official-v1-stdio.js", import.meta.url)),
];
/** Many, because a session may have no id in flight twice, and some answers come much later than others. */
const ids = Array.from({ length: 64 * rotation }, (_, index) => index + 1);
const startLimitMs = 20_000;

export function gatewayWorkload(inFlight: number): Workload {
  const id = `gateway-${inFlight}`;
  const direct: Contender = { name: directName, wire: "legacy", stdio: server };
  return {
    id,
    isMain: false,
    async run(plan) {
      const rows = await takeTurns(plan, [direct, ...gateways], (contender) =>
        "command" in contender ? prepare(contender, inFlight, plan) : prepareStdio(contender, inFlight, plan),
      );
      return {
        id,
        title: `tools/call at a stdio server of the official SDK v1, ${inFlight} in flight`,
        columns: loadColumns,
        rows,
        floor: directName,
        notes: ["CPU ms is the gateway's own; the server that it runs comes on top and shares its core."],
      };
    },
  };
}

async function prepare(gateway: GatewayContender, connections: number, { cores, seconds }: Plan): Promise<Ready> {
  const port = await freePort();
  const child = startChild([...cores.prefix, ...gateway.command(port, server)], { TOOLS: "1" });
  try {
    await untilListening(port, child);
    const headers = gateway.hasSession ? await openSession(port) : [];
    const requests = ids.map((id) => toHttpRequest(gateway.wire, greetCall(gateway.wire, id), headers));
    for (const [index, request] of requests.slice(0, rotation).entries()) {
      checkHttpAnswer(await ask(port, request), index + 1, checkGreeting);
    }
    const load = { port, requests, connections };
    await warmUp((seconds) => runHttpLoad({ ...load, seconds }), seconds);
    return {
      async measure() {
        await runHttpLoad({ ...load, seconds: seconds / 10 });
        return sampleLoad(child.pid, () => runHttpLoad({ ...load, seconds }));
      },
      stop: () => end(child),
    };
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** Gracefully first: a gateway that is killed leaves its server behind. */
async function end(child: Child): Promise<void> {
  child.process.kill("SIGTERM");
  await Promise.race([child.died.catch(() => {}), wait(3_000)]);
  await child.stop();
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function untilListening(port: number, child: Child): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  for (;;) {
    const socket = await Promise.race([openSocket(port).catch(() => undefined), child.died]);
    if (socket) return void socket.destroy();
    if (performance.now() > deadline) throw new Error(`did not listen within ${startLimitMs} ms`);
    await wait(50);
  }
}
