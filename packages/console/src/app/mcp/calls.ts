// The calls of the playground: what was sent, what happened meanwhile, and how each ended. Bounded; forgotten with the page.
import type { EraChoice } from "./endpoint-client.ts";

export type CallKind = "tool" | "prompt" | "resource";

export interface CallEvent {
  /** Milliseconds since the call began. */
  readonly at: number;
  readonly label: string;
  readonly data?: unknown;
}

export interface Call {
  readonly id: number;
  readonly kind: CallKind;
  /** The name of a tool or prompt, or the URI of a resource. */
  readonly target: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly era: EraChoice;
  /** Known once the client is connected. */
  readonly revision?: string;
  /** Whether that is 2026-07-28 or later. Known once the client is connected. */
  readonly isModern?: boolean;
  readonly startedAt: number;
  readonly events: readonly CallEvent[];
  /** Absent while the call runs. */
  readonly ms?: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly abort: AbortController;
}

const maxCalls = 50;
const maxEvents = 200;

export interface CallLog {
  /** Newest first. */
  readonly calls: readonly Call[];
  begin(call: Pick<Call, "kind" | "target" | "args" | "era">): Call;
  note(id: number, label: string, data?: unknown): void;
  update(id: number, change: Partial<Call>): void;
  subscribe(callback: () => void): () => void;
}

export function createCallLog(now: () => number = () => performance.now()): CallLog {
  const callbacks = new Set<() => void>();
  let calls: readonly Call[] = [];
  let count = 0;

  function set(next: readonly Call[]): void {
    calls = next;
    for (const callback of callbacks) callback();
  }

  function update(id: number, change: (call: Call) => Call): void {
    set(calls.map((call) => (call.id === id ? change(call) : call)));
  }

  return {
    get calls() {
      return calls;
    },
    begin(given) {
      count += 1;
      const call: Call = { ...given, id: count, startedAt: now(), events: [], abort: new AbortController() };
      set([call, ...calls].slice(0, maxCalls));
      return call;
    },
    note: (id, label, data) =>
      update(id, (call) => {
        const event = { at: now() - call.startedAt, label, ...(data !== undefined && { data }) };
        return { ...call, events: [...call.events, event].slice(-maxEvents) };
      }),
    update: (id, change) => update(id, (call) => ({ ...call, ...change })),
    subscribe(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}
