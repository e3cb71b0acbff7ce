// What the contract suites of stores need from a test runner, and the few assertions that they make themselves.
import { toCanonicalJson } from "../seal/digest.ts";

/** Vitest, Jest, Mocha, node:test, Bun and Deno all provide such a function. */
export interface TestRunner {
  it(name: string, body: () => Promise<void>): unknown;
}

/** Throws unless both values are equal as JSON; members that are undefined do not count. */
export function requireEqual(actual: unknown, expected: unknown): void {
  const [got, wanted] = [actual, expected].map((value) => toCanonicalJson({ value }));
  if (got !== wanted) throw new Error(`expected ${wanted}, got ${got}`);
}

/** Retries until `read` returns the expected value, for 5 s. */
export async function requireEventually(read: () => unknown, expected: unknown): Promise<void> {
  const deadline = Date.now() + 5_000;
  for (;;) {
    try {
      return requireEqual(await read(), expected);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Throws unless the promise rejects, and returns the error. */
export async function requireRejection(promise: Promise<unknown>): Promise<Error & { data?: unknown }> {
  const result: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (result instanceof Error) return result;
  throw new Error("expected a rejection with an Error");
}
