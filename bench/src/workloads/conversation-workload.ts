// Measures the cost of an elicitation: each of its two rounds compared with a call without one.
import type { Contender } from "../contenders.ts";
import { runConversations } from "../load/conversation-load.ts";
import { runHttpLoad } from "../load/http-load.ts";
import { greetCall, rotation, toHttpRequest } from "../load/wire.ts";
import { startHttpChild } from "../measure/child.ts";
import { sampleLoad } from "../measure/load-sample.ts";
import type { Column } from "../measure/section.ts";
import { type Plan, type Ready, takeTurns, type Workload, warmUp } from "./workload.ts";

const connections = 32;
const columns: readonly Column[] = [
  { metric: "perSecond", label: "rounds/s", decimals: 0 },
  { metric: "p50", label: "p50 ms", decimals: 2 },
  { metric: "p99", label: "p99 ms", decimals: 2 },
  { metric: "cpu", label: "CPU ms/round", decimals: 3 },
  { metric: "plain", label: "CPU ms/plain call", decimals: 3 },
  { metric: "times", label: "x plain", decimals: 2 },
  { metric: "rss", label: "RSS MB", decimals: 0 },
];

export const conversationWorkload: Workload = {
  id: "conversation",
  isMain: false,
  async run(plan) {
    const able = plan.contenders.filter(({ http, lacks }) => http && !lacks?.includes("elicitation"));
    const rows = await takeTurns(plan, able, (contender) => prepare(contender, plan));
    const title = "tools/call in two rounds: an elicitation, its response and the result";
    return { id: "conversation", title, columns, rows, notes: [] };
  },
};

async function prepare({ http = [], wire }: Contender, { cores, seconds }: Plan): Promise<Ready> {
  const child = await startHttpChild([...cores.prefix, ...http], { TOOLS: "1", ASKS: "1" });
  const requests = Array.from({ length: rotation }, (_, index) => toHttpRequest(wire, greetCall(wire, index + 1)));
  const load = { port: child.port, connections };
  try {
    await warmUp((seconds) => runHttpLoad({ ...load, requests, seconds }), seconds);
    await warmUp((seconds) => runConversations({ ...load, seconds }), seconds);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return {
    async measure() {
      const { cpu: plain } = await sampleLoad(child.pid, () => runHttpLoad({ ...load, requests, seconds }));
      const asked = await sampleLoad(child.pid, () => runConversations({ ...load, seconds }));
      return { ...asked, plain, times: plain && asked.cpu && asked.cpu / plain };
    },
    stop: () => child.stop(),
  };
}
