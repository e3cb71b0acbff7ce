// A Dispatch that the test finishes, and the exchange that it received.
import type { Dispatch, Exchange, Result } from "@lethe/protocol";

export interface HeldDispatch {
  dispatch: Dispatch;
  exchange: Promise<Exchange>;
  finish(result?: Result): void;
  fail(error: unknown): void;
}

export function holdDispatch(): HeldDispatch {
  let give: (exchange: Exchange) => void = () => {};
  let finish: (result: Result) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const exchange = new Promise<Exchange>((resolve) => {
    give = resolve;
  });
  const result = new Promise<Result>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  result.catch(() => {});
  return {
    dispatch(_request, given) {
      give(given);
      return result;
    },
    exchange,
    finish: (given = { resultType: "complete", content: [] }) => finish(given),
    fail,
  };
}

export function aborted(signal: AbortSignal): Promise<unknown> {
  return signal.aborted ? Promise.resolve() : new Promise((resolve) => signal.addEventListener("abort", resolve));
}
