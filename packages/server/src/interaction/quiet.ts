// Promises whose rejection a handler need not handle.
import { InteractionError } from "./interaction-error.ts";

export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

export function rejected(error: Error): Promise<never> {
  return quiet(Promise.reject(error));
}

export function refused(message: string): Promise<never> {
  return rejected(new InteractionError(message));
}
