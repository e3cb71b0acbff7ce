// Measures the time from starting the process to its first response.
import type { Contender } from "../contenders.ts";
import { ask } from "../load/ask.ts";
import { checkGreeting, checkHttpAnswer } from "../load/check-answer.ts";
import { openLineChannel } from "../load/stdio-load.ts";
import { greetCall, openingLines, toHttpRequest } from "../load/wire.ts";
import { startChild, startHttpChild } from "../measure/child.ts";
import type { Column } from "../measure/section.ts";
import type { Sample } from "../measure/statistics.ts";
import { type Plan, readyAtOnce, takeTurns, type Workload } from "./workload.ts";

/** The minimum number of rounds, because this measurement is cheap and noisy. */
const leastRounds = 5;
const columns: readonly Column[] = [{ metric: "ms", label: "ms", decimals: 0, hasRatio: true }];
const env = { TOOLS: "1" };

export const coldHttpWorkload: Workload = {
  id: "cold-http",
  isMain: true,
  async run(plan) {
    const able = plan.contenders.filter(({ http }) => http);
    const rows = await takeTurns(withMoreRounds(plan), able, async (contender) =>
      readyAtOnce(() => http(contender, plan)),
    );
    return { id: "cold-http", title: "cold start to the first answer over HTTP", columns, rows, notes: [] };
  },
};

export const coldStdioWorkload: Workload = {
  id: "cold-stdio",
  isMain: true,
  async run(plan) {
    const able = plan.contenders.filter(({ stdio }) => stdio);
    const rows = await takeTurns(withMoreRounds(plan), able, async (contender) =>
      readyAtOnce(() => stdio(contender, plan)),
    );
    return { id: "cold-stdio", title: "cold start to the first answer over stdio", columns, rows, notes: [] };
  },
};

function withMoreRounds(plan: Plan): Plan {
  return { ...plan, rounds: Math.max(plan.rounds, leastRounds) };
}

async function http({ http = [], wire }: Contender, { cores }: Plan): Promise<Sample> {
  const started = performance.now();
  const child = await startHttpChild([...cores.prefix, ...http], env);
  try {
    const answer = await ask(child.port, toHttpRequest(wire, greetCall(wire, 1)));
    const ms = performance.now() - started;
    checkHttpAnswer(answer, 1, checkGreeting);
    return { ms };
  } finally {
    await child.stop();
  }
}

async function stdio({ stdio = [], wire }: Contender, { cores }: Plan): Promise<Sample> {
  const started = performance.now();
  const child = startChild([...cores.prefix, ...stdio], env);
  try {
    const channel = openLineChannel(child);
    const answer = channel.readAnswer();
    for (const opening of openingLines(wire)) channel.send(`${opening}\n`);
    channel.send(`${JSON.stringify(greetCall(wire, 1))}\n`);
    checkGreeting([await answer], 1);
    return { ms: performance.now() - started };
  } finally {
    await child.stop();
  }
}
