// The input requests of servers that wait for the user of the playground.
import type { InputRequestContext } from "@lethe/client";
import type { EraChoice } from "./endpoint-client.ts";

export interface WaitingInput {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
  /** The tool, prompt or URI whose call asks. */
  readonly target: string;
  /** Of the call that asks. */
  readonly era: EraChoice;
  answer(result: unknown): void;
}

export interface AskingContext extends Pick<InputRequestContext, "target" | "signal"> {
  readonly era: EraChoice;
}

export interface AskedInputs {
  readonly waiting: readonly WaitingInput[];
  /** Resolves with the answer. Rejects when the call has ended. */
  ask(method: string, params: unknown, context: AskingContext): Promise<unknown>;
  subscribe(callback: () => void): () => void;
}

export function createAskedInputs(): AskedInputs {
  const callbacks = new Set<() => void>();
  let waiting: readonly WaitingInput[] = [];
  let count = 0;

  function set(next: readonly WaitingInput[]): void {
    waiting = next;
    for (const callback of callbacks) callback();
  }

  return {
    get waiting() {
      return waiting;
    },
    ask(method, params, { target, era, signal }) {
      count += 1;
      const id = count;
      const leave = () => set(waiting.filter((input) => input.id !== id));
      return new Promise((resolve, reject) => {
        function answer(result: unknown): void {
          leave();
          resolve(result);
        }
        signal.addEventListener("abort", () => {
          leave();
          reject(signal.reason);
        });
        set([...waiting, { id, method, params, target, era, answer }]);
      });
    },
    subscribe(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}
