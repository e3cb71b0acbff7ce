// What the tools of a legacy server are known for, from the lists that passed by: which may be called twice, and which are
// called as tasks (D-38).
import { isJsonObject, type JsonObject, type TaskSupport, type Tool, taskSupportOf } from "@lethe/protocol";

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
    } catch {
      // It is asked again at the next call.
    } finally {
      listing = undefined;
    }
  }

  return {
    learn,
    isRepeatable: (name) => facts.get(name)?.isRepeatable === true,
    async taskSupportOf(name) {
      if (!facts.has(name) && !isComplete) {
        listing ??= listAll();
        await listing;
      }
      return facts.get(name)?.taskSupport;
    },
    forget() {
      facts.clear();
      isComplete = false;
      generation += 1;
    },
  };
}

function toFact(tool: Tool): Fact {
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
  return { isRepeatable: readOnlyHint === true || idempotentHint === true, taskSupport: taskSupportOf(tool) };
}
