// Anonymous callers that concurrently call a tool that elicits input. Each call answers with a unique name,
// so a test detects an elicitation or answer of another call.
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "@lethe/client/node";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export type CallerEra = "modern" | "legacy";

export interface Tally {
  calls: number;
  /** Calls that received their own elicitation and their own answer. */
  right: number;
  /** Elicitations and answers of other calls. */
  wrong: string[];
  /** Calls that ended with an error. */
  failed: string[];
  /** The largest number of elicitations pending at the same time. */
  mostOpen: number;
  ms: number;
}

interface AskingCaller {
  call(tool: string): Promise<string>;
  close(): Promise<void>;
}

/** A caller starts its next call when its last one has ended. `thinkMs` is the time a user takes to answer. */
export async function askSideBySide(
  url: string,
  { era, callers, calls, thinkMs = 1 }: { era: CallerEra; callers: number; calls: number; thinkMs?: number },
): Promise<Tally> {
  const tally: Tally = { calls, right: 0, wrong: [], failed: [], mostOpen: 0, ms: 0 };
  let open = 0;
  let begun = 0;
  const answer = async (name: string, question: string) => {
    if (question !== `who is ${name}?`) tally.wrong.push(`${name} was asked "${question}"`);
    open += 1;
    tally.mostOpen = Math.max(tally.mostOpen, open);
    await sleep(thinkMs);
    open -= 1;
    return { action: "accept" as const, content: { name } };
  };
  const work = async (caller: AskingCaller, own: { name: string }, label: string): Promise<void> => {
    while (begun < calls) {
      own.name = `${label}-${begun++}`;
      try {
        const said = await caller.call(own.name);
        if (said === own.name) tally.right += 1;
        else if (/-\d+$/.test(said)) tally.wrong.push(`${own.name} got "${said}"`);
        else tally.failed.push(said);
      } catch (error) {
        tally.failed.push(String(error));
      }
    }
  };
  const connectCaller = era === "modern" ? openModern : openLegacy;
  const owns = Array.from({ length: callers }, () => ({ name: "" }));
  const all = await Promise.all(owns.map((own) => connectCaller(url, (question) => answer(own.name, question))));
  const startedAt = performance.now();
  await Promise.all(all.map((caller, index) => work(caller, owns[index] as { name: string }, `c${index}`)));
  tally.ms = Math.round(performance.now() - startedAt);
  await Promise.all(all.map((caller) => caller.close()));
  return tally;
}

type Answer = (question: string) => Promise<{ action: "accept"; content: { name: string } }>;

async function openModern(url: string, answer: Answer): Promise<AskingCaller> {
  const client = await connect(url, { elicit: ({ message }) => answer(message) });
  return {
    async call(caller) {
      const { content } = await client.callTool("ask_user", { caller });
      return textOf(content);
    },
    close: () => client.close(),
  };
}

async function openLegacy(url: string, answer: Answer): Promise<AskingCaller> {
  const client = new Client({ name: "old", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
  return {
    async call(caller) {
      const { content } = await client.callTool({ name: "ask_user", arguments: { caller } });
      return textOf(content as readonly { type: string }[]);
    },
    close: () => client.close(),
  };
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map(({ text }) => text).join(" ");
}
