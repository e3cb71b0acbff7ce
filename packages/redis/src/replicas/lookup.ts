// Asks Redis for a request that has not started. When Redis does not answer, the request waits a short time only, since another replica
// may serve it. Requests after it do not wait at all until Redis answers.
import type { Clock } from "@lethe/server/stores";

export class Lookup {
  readonly #clock: Clock;
  readonly #waitMs: number;
  #isSilent = false;

  /** `waitMs`: how long a request waits for a reply. Infinite: until `send` settles. */
  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** Rejects with the error of `send`, or when Redis does not answer. `send` continues in that case. */
  ask<T>(send: () => Promise<T>): Promise<T> {
    if (this.#waitMs === Number.POSITIVE_INFINITY) return send();
    if (this.#isSilent) return Promise.reject(new Error("an earlier command has no reply yet"));
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const cancel = this.#clock.after(this.#waitMs, () => {
        // After a stall of this process, a timer that is due may run although the reply was read first.
        if (isSettled) return;
        this.#isSilent = true;
        reject(new Error(`no reply within ${this.#waitMs} ms`));
      });
      const settle = (): void => {
        isSettled = true;
        cancel();
        // Redis answers in order: it is back, or the connection is lost and commands reject at once.
        this.#isSilent = false;
      };
      send().finally(settle).then(resolve, reject);
    });
  }
}
