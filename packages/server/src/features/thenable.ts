// Distinguishes promises from values: to await a value takes a turn of the microtask queue.

/** True for a promise, and for objects that `await` treats as one. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === "function";
}
