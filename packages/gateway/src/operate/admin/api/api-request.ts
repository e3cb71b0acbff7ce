// A request to the administration API after routing, and the error that refuses it.
import type { Status } from "./operations.ts";

/** Plain JSON, because replicas forward it to each other. */
export interface ApiRequest {
  /** The steps of the path that the operation names. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The address of the operator, for the log. */
  readonly by?: string;
}

export class ApiError extends Error {
  readonly status: 400 | Status;

  constructor(status: 400 | Status, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

/** Undefined where the query lacks it. Throws ApiError for what is no whole number from 0 on. */
export function integerIn({ query }: ApiRequest, name: string): number | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new ApiError(400, `${name} must be a whole number, got ${given.slice(0, 100)}`);
}
