// Limits how long a request waits for a shared store.

/** Settles like the promise, or rejects after `ms`. */
export function withDeadline<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
    promise.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
