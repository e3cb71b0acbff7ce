// Logs an internal error under an id; the caller gets only the id.
import { type Exchange, type ModernRequest, method, targetNameOf } from "@lethe/protocol";

/** The part of a request that is kept for error reports while it runs. */
export interface Called {
  readonly method: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly name: string | undefined;
}

export interface ErrorInfo extends Called {
  /** The id that the caller got. */
  readonly errorId: string;
}

/** Receives an internal error and where it happened. The caller gets only the id of the error. */
export type OnError = (error: unknown, info: ErrorInfo) => void;

/** Returns the error id. Errors after the caller disconnected are not reported. */
export type ReportError = (error: unknown, called: Called, exchange: Exchange) => string;

export function calledBy({ method, params }: ModernRequest): Called {
  return { method, name: targetNameOf(method, params) };
}

export function createReportError(onError: OnError): ReportError {
  return (error, called, exchange) => {
    const errorId = crypto.randomUUID();
    if (isAbort(error, exchange)) return errorId;
    tell(onError, error, { errorId, ...called });
    return errorId;
  };
}

/** Reports an error of a task outside of a request. */
export function createReportTaskError(onError: OnError): (error: unknown) => void {
  return (error) => tell(onError, error, { errorId: crypto.randomUUID(), method: method.callTool, name: undefined });
}

/** Reports an error of `server.fetch` before it reads a message. */
export function reportFetchError(onError: OnError, error: unknown): void {
  tell(onError, error, { errorId: crypto.randomUUID(), method: "server.fetch", name: undefined });
}

function tell(onError: OnError, error: unknown, info: ErrorInfo): void {
  try {
    onError(error, info);
  } catch (failure) {
    console.error(failure);
  }
}

function isAbort(error: unknown, { signal }: Exchange): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}

export function logError(error: unknown, { errorId, method, name }: ErrorInfo): void {
  console.error(`error ${errorId} in ${method}${name === undefined ? "" : ` ${JSON.stringify(name)}`}:`, error);
}
