// One kind of request over HTTP, 32 connections, 64 bodies in rotation.
import type { Contender } from "../contenders.ts";
import { ask } from "../load/ask.ts";
import { type AnswerCheck, checkHttpAnswer } from "../load/check-answer.ts";
import { runHttpLoad } from "../load/http-load.ts";
import { type Message, rotation, toHttpRequest, type Wire } from "../load/wire.ts";
import { startHttpChild } from "../measure/child.ts";
import { loadColumns, sampleLoad, saturationNotes } from "../measure/load-sample.ts";
import { type Plan, type Ready, takeTurns, type Workload, warmUp } from "./workload.ts";

export interface HttpWork {
  id: string;
  title: string;
  isMain: boolean;
  env: Readonly<Record<string, string>>;
  request: (wire: Wire, id: number) => Message;
  check: AnswerCheck;
  /** The workload skips contenders that lack this feature. */
  needs?: "progress";
}

const connections = 32;
const ids = Array.from({ length: rotation }, (_, index) => index + 1);

export function httpWorkload(work: HttpWork): Workload {
  return {
    id: work.id,
    isMain: work.isMain,
    async run(plan) {
      const able = plan.contenders.filter(({ http, lacks }) => http && !(work.needs && lacks?.includes(work.needs)));
      const rows = await takeTurns(plan, able, (contender) => prepare(work, contender, plan));
      return { id: work.id, title: work.title, columns: loadColumns, rows, notes: saturationNotes(rows) };
    },
  };
}

async function prepare(work: HttpWork, { http = [], wire }: Contender, { cores, seconds }: Plan): Promise<Ready> {
  const child = await startHttpChild([...cores.prefix, ...http], work.env);
  const requests = ids.map((id) => toHttpRequest(wire, work.request(wire, id)));
  const load = { port: child.port, requests, connections };

  async function checkAnswers(): Promise<void> {
    for (const [index, request] of requests.entries()) {
      checkHttpAnswer(await ask(child.port, request), index + 1, work.check);
    }
  }

  try {
    await checkAnswers();
    await warmUp((seconds) => runHttpLoad({ ...load, seconds }), seconds);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return {
    async measure() {
      await runHttpLoad({ ...load, seconds: seconds / 10 });
      return sampleLoad(child.pid, () => runHttpLoad({ ...load, seconds }));
    },
    stop: () => child.stop(),
  };
}
