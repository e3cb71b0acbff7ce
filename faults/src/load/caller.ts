// One caller with a key: calls one tool after the other, without retries, and records what it saw.
import { setTimeout as sleep } from "node:timers/promises";
import { classify } from "../check/classify.ts";
import type { CallRecord } from "../check/records.ts";
import { type RawReply, type RawRequest, sendRaw } from "./raw-client.ts";

export interface CallerOptions {
  readonly url: string;
  readonly name: string;
  readonly key: string;
  readonly timeoutMs: number;
  /** Milliseconds since the start of the run. */
  readonly now: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
  readonly record: (call: CallRecord) => void;
}

interface Draft extends Pick<CallRecord, "caller" | "upstream" | "id" | "tool" | "begin" | "isBegun" | "answer"> {
  /** The answer was sent before, with an unknown outcome. */
  readonly mayHaveRun?: boolean;
}

const capabilities = { elicitation: { form: {} } };
const withTasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const maxPolls = 120;
/** How long an answer or a poll is repeated. */
const retryMs = 30_000;

export class Caller {
  readonly #options: CallerOptions;
  #count = 0;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  async count(upstream: string): Promise<CallRecord> {
    const draft = this.#draft(upstream, "count");
    return this.#finish(draft, await this.#call(draft, {}));
  }

  /** Answers the question of the tool. Replay protection makes it safe to send an answer again when its result did not arrive. */
  async ask(upstream: string, thinkMs: number): Promise<CallRecord> {
    const draft = this.#draft(upstream, "ask");
    const asked = await this.#call(draft, { capabilities });
    if (asked.result?.resultType !== "input_required") return this.#finish(draft, asked);
    await sleep(thinkMs);
    const { inputRequests, requestState } = asked.result as { inputRequests: object; requestState: string };
    const answer = `answer of ${draft.id}`;
    const keys = Object.keys(inputRequests);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: "accept", content: { answer } }]));
    const begun = { ...draft, isBegun: true, answer };
    let mayHaveRun = false;
    const reply = await this.#untilArrived(async () => {
      const reply = await this.#call(begun, { capabilities, more: { inputResponses, requestState } });
      if (classify(reply).outcome !== "unavailable") mayHaveRun = true;
      return reply;
    });
    return this.#finish({ ...begun, mayHaveRun }, reply);
  }

  /** Calls a tool that continues as a task of the gateway, and polls the task to its end. */
  async task(upstream: string, ms: number): Promise<CallRecord> {
    const draft = this.#draft(upstream, "slow");
    const reply = await this.#call(draft, { capabilities: withTasks, args: { ms } });
    if (reply.result?.resultType !== "task") return this.#finish(draft, reply);
    return this.#follow({ ...draft, isBegun: true }, String(reply.result.taskId));
  }

  async #follow(draft: Draft, taskId: string): Promise<CallRecord> {
    for (let poll = 0; poll < maxPolls; poll += 1) {
      await sleep(500);
      const get = { method: "tasks/get", name: taskId, params: { taskId }, capabilities: withTasks };
      const reply = await this.#untilArrived(() => this.#send(get));
      if (reply.error?.message.includes("unknown task")) {
        return this.#finish(draft, { ...reply, error: { ...reply.error, data: { reason: "task_lost" } } });
      }
      const { status, result, error } = (reply.result ?? {}) as Record<string, never>;
      if (status === "completed") return this.#finish(draft, { hasRetryAfter: false, result });
      if (status === "failed") return this.#finish(draft, { hasRetryAfter: false, error });
      if (reply.result === undefined) return this.#finish(draft, reply);
    }
    return this.#finish(draft, { hasRetryAfter: false, broken: "the task has no end" });
  }

  /** Repeats what may be repeated: an answer or a poll. */
  async #untilArrived(send: () => Promise<RawReply>): Promise<RawReply> {
    const end = this.#options.now() + retryMs;
    for (;;) {
      const reply = await send();
      if (!mayArriveLater(reply) || this.#options.now() > end) return reply;
      await sleep(500);
    }
  }

  #draft(upstream: string, tool: CallRecord["tool"]): Draft {
    this.#count += 1;
    const { name, now } = this.#options;
    return { caller: name, upstream, tool, id: `${name}:${this.#count}`, begin: now() };
  }

  #call(
    { upstream, tool, id }: Draft,
    { capabilities = {}, args = {}, more = {} }: { capabilities?: object; args?: object; more?: object },
  ): Promise<RawReply> {
    const name = `${upstream}__${tool}`;
    return this.#send({
      method: "tools/call",
      name,
      params: { name, arguments: { id, ...args }, ...more },
      capabilities,
    });
  }

  #send(raw: RawRequest): Promise<RawReply> {
    return sendRaw(this.#options, raw);
  }

  #finish({ mayHaveRun = false, ...draft }: Draft, reply: RawReply): CallRecord {
    const seen = classify(reply);
    const call: CallRecord = {
      ...draft,
      ...seen,
      ...(mayHaveRun && seen.outcome === "unavailable" ? { outcome: "lost" as const } : {}),
      ...(seen.outcome === "ok" ? readResult(draft, reply) : {}),
      end: this.#options.now(),
    };
    this.#options.record(call);
    return call;
  }
}

/** False for a result, and for an error that says that the call or its session is gone. */
function mayArriveLater(reply: RawReply): boolean {
  const { outcome, reason, status } = classify(reply);
  if (outcome === "unavailable" || reason === "lost") return true;
  return outcome === "untyped" && (reply.broken !== undefined || (status ?? 0) >= 500);
}

/** A result that is not the counter's own counts as an untyped failure. */
function readResult({ id }: Draft, { result = {} }: RawReply): Partial<CallRecord> {
  const content = result.content as { text?: string }[] | undefined;
  const text = content?.[0]?.text ?? "";
  try {
    const { instance, n, id: ran } = JSON.parse(text) as { instance: string; n: number; id: string };
    const isMarked = Object.keys((result._meta ?? {}) as object).some((key) => key.includes("session"));
    if (ran === id) return { instance, n, isMarked };
  } catch {}
  return { outcome: "untyped", reason: `unexpected result: ${JSON.stringify(result).slice(0, 200)}` };
}
