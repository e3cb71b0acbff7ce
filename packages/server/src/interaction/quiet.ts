// Promises whose rejection a handler need not handle.

export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

export function rejected(error: Error): Promise<never> {
  return quiet(Promise.reject(error));
}
