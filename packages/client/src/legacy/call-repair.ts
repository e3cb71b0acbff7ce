// Decides whether a call of a legacy connection that failed is sent again: it did not start, its session was lost before it started,
// or it changes nothing. Created after the first failure of a call.
import type { ModernRequest } from "@lethe/protocol";
import { Attempts, type FilledRetries } from "../http/retries.ts";
import type { Call } from "./call.ts";

/** Attempts for a request that may be repeated, or whose session was lost. */
const maxAttempts = 3;

export interface CallRepairOptions {
  readonly retries: FilledRetries | undefined;
  /** True when a request that failed with `error` may be sent again. */
  mend(error: unknown, request: ModernRequest): Promise<boolean>;
}

export class CallRepair {
  readonly #call: Call;
  readonly #options: CallRepairOptions;
  readonly #attempts: Attempts;
  #failures = 0;

  constructor(call: Call, options: CallRepairOptions) {
    this.#call = call;
    this.#options = options;
    this.#attempts = new Attempts(options.retries);
  }

  /** Undefined when the call may be sent again: its caller still waits and has received no input request. Never rejects. */
  async after(error: Error): Promise<Error | undefined> {
    const call = this.#call;
    this.#failures += 1;
    if (call.inputRequestCount > 0 || !call.round) return error;
    if (await this.#attempts.wait(error)) return call.round ? undefined : error;
    if (this.#failures >= maxAttempts) return error;
    try {
      return (await this.#options.mend(error, call.request)) && call.round ? undefined : error;
    } catch (failure) {
      return failure as Error;
    }
  }
}
