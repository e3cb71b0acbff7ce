// Remembers from the listed tools of a legacy server which may be called twice, and which run as tasks.
import { isJsonObject, type JsonObject, type TaskSupport, type Tool, taskSupportOf } from "@lethe/protocol";
import { SparseMap } from "../call/sparse-collections.ts";
import { isTransportError } from "../call/transport-error.ts";

export interface ToolFacts {
  /** Reads a page of tools/list. */
  learn(page: JsonObject): void;
  /** True for a read-only or idempotent tool. */
  isRepeatable(name: string): boolean;
  /** Lists the tools if necessary. Undefined for a tool that never runs as a task. */
  taskSupportOf(name: string): Promise<TaskSupport | undefined>;
  /** Called when the tools have changed. */
  forget(): void;
}

/** The limit of remembered tools. */
const maxTools = 10_000;
/** A longer list is not read to its end. */
const maxPages = 100;
const tooLarge: ReadonlySet<string> = new Set(["too_large", "too_deep"]);

/** A list that exceeds a limit is not read again for so long. */
const tooLargeRetryMs = 60_000;

interface Fact {
  readonly isRepeatable: boolean;
  readonly taskSupport: TaskSupport | undefined;
}

/** `list` returns one page of tools/list. */
export function createToolFacts(list: (cursor: string | undefined) => Promise<JsonObject>): ToolFacts {
  const facts = new SparseMap<string, Fact>();
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

  /** The tools of a server that cannot list them are called without tasks. */
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
