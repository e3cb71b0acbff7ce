// What the tools of a legacy server are known for, from the lists that passed by: which may be called twice, and which are
// called as tasks (D-38).
import { isJsonObject, type JsonObject, type TaskSupport, type Tool, taskSupportOf } from "@lethe/protocol";
import { isTransportError } from "../call/transport-error.ts";

export interface ToolFacts {
  /** Reads a page of tools/list. */
  learn(page: JsonObject): void;
  /** True for a tool that changes nothing, or nothing more the second time. */
  isRepeatable(name: string): boolean;
  /** Lists the tools when there is no other way to know. Undefined for a tool that is never a task. */
  taskSupportOf(name: string): Promise<TaskSupport | undefined>;
  /** The tools have changed. */
  forget(): void;
}

/** So many tools are remembered. */
const maxTools = 10_000;
/** A list that is longer is not read to its end. */
const maxPages = 100;
const tooLarge: ReadonlySet<string> = new Set(["too_large", "too_deep"]);

/** A list that exceeds a limit is not read again for so long. */
const tooLargeRetryMs = 60_000;

interface Fact {
  readonly isRepeatable: boolean;
  readonly taskSupport: TaskSupport | undefined;
}

/** `list` gives one page, as `learn` takes it. */
export function createToolFacts(list: (cursor: string | undefined) => Promise<JsonObject>): ToolFacts {
  const facts = new Map<string, Fact>();
  let isComplete = false;
  let generation = 0;
  let listing: Promise<void> | undefined;
  let retryAt = Number.NEGATIVE_INFINITY;

  function learn({ tools }: JsonObject): void {
    if (!Array.isArray(tools)) return;
    for (const tool of tools.slice(0, maxTools) as Tool[]) {
      if (!isJsonObject(tool)) continue;
      if (facts.size < maxTools || facts.has(tool.name)) facts.set(tool.name, toFact(tool));
    }
  }

  /** A server that cannot tell has nothing to say: its tools are called as they always were. */
  async function listAll(): Promise<void> {
    const asked = generation;
    let cursor: string | undefined;
    try {
      for (let page = 0; page < maxPages; page++) {
        const result = await list(cursor);
        learn(result);
        if (typeof result.nextCursor !== "string") break;
        cursor = result.nextCursor;
      }
      isComplete = asked === generation;
    } catch (error) {
      // The next call tries again, unless it would cost both sides a large list for nothing.
      if (isTransportError(error) && tooLarge.has(error.reason)) retryAt = performance.now() + tooLargeRetryMs;
    } finally {
      listing = undefined;
    }
  }

  return {
    learn,
    isRepeatable: (name) => facts.get(name)?.isRepeatable === true,
    async taskSupportOf(name) {
      if (!facts.has(name) && !isComplete && performance.now() >= retryAt) {
        listing ??= listAll();
        await listing;
      }
      return facts.get(name)?.taskSupport;
    },
    forget() {
      facts.clear();
      isComplete = false;
      retryAt = Number.NEGATIVE_INFINITY;
      generation += 1;
    },
  };
}

function toFact(tool: Tool): Fact {
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
  return { isRepeatable: readOnlyHint === true || idempotentHint === true, taskSupport: taskSupportOf(tool) };
}
