// Calls over stdin and stdout, one at a time or many in flight.
import type { Contender } from "../contenders.ts";
import { checkGreeting } from "../load/check-answer.ts";
import { openLineChannel, runStdioLoad } from "../load/stdio-load.ts";
import { greetCall, openingLines, rotation } from "../load/wire.ts";
import { startChild } from "../measure/child.ts";
import { loadColumns, sampleLoad, saturationNotes } from "../measure/load-sample.ts";
import { type Plan, type Ready, takeTurns, type Workload, warmUp } from "./workload.ts";

export function stdioWorkload(inFlight: number): Workload {
  const isSequential = inFlight === 1;
  const columns = isSequential ? loadColumns : loadColumns.filter(({ metric }) => metric !== "p50" && metric !== "p99");
  return {
    id: `stdio-${inFlight}`,
    isMain: true,
    async run(plan) {
      const able = plan.contenders.filter(({ stdio }) => stdio);
      const rows = await takeTurns(plan, able, (contender) => prepareStdio(contender, inFlight, plan));
      return {
        id: `stdio-${inFlight}`,
        title: `stdio tools/call, ${isSequential ? "one after the other" : `${inFlight} in flight`}`,
        columns,
        rows,
        notes: isSequential ? [] : saturationNotes(rows),
      };
    },
  };
}

export async function prepareStdio(
  { stdio = [], wire }: Contender,
  inFlight: number,
  { cores, seconds }: Plan,
): Promise<Ready> {
  const child = startChild([...cores.prefix, ...stdio], { TOOLS: "1" });
  const channel = openLineChannel(child);
  // The protocol forbids repeated ids. The text after the id comes from the rotation.
  const tails = Array.from({ length: rotation }, (_, index) => tailOf(JSON.stringify(greetCall(wire, index))));
  let id = 0;
  const line = (): string => {
    id += 1;
    return `{"jsonrpc":"2.0","id":${id},${tails[id % rotation]}\n`;
  };

  try {
    for (const opening of openingLines(wire)) channel.send(`${opening}\n`);
    for (let checks = 0; checks < rotation; checks += 1) {
      const answer = channel.readAnswer();
      channel.send(line());
      checkGreeting([await answer], id);
    }
    await warmUp((seconds) => runStdioLoad({ channel, line, inFlight, seconds }), seconds);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return {
    async measure() {
      await runStdioLoad({ channel, line, inFlight, seconds: seconds / 10 });
      return sampleLoad(child.pid, () => runStdioLoad({ channel, line, inFlight, seconds }));
    },
    stop: () => child.stop(),
  };
}

function tailOf(request: string): string {
  return request.slice(request.indexOf('"method"'));
}
