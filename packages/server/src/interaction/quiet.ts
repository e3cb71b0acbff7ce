// Promises that a handler may leave alone: one that is rejected without a listener would end the process.

export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

export function rejected(error: Error): Promise<never> {
  return quiet(Promise.reject(error));
}
