// Logs one line per request for the operator: caller, method, target, duration and outcome.

import {
  checkOptions,
  isMcpError,
  type KnownOptions,
  type McpError,
  type Middleware,
  type ModernRequest,
  type Result,
} from "@lethe/protocol";
import { methodLabelOf, targetLabelOf } from "./request-label.ts";

/** One line of the access log. Arguments and results are not part of it. */
export interface AccessLine {
  /** When the request came, as ISO 8601. */
  time: string;
  method: string;
  /** Tool, prompt or resource. */
  name?: string;
  /** Id of the authenticated caller. */
  caller?: string;
  /** How long it took; for a subscription, how long it lasted. */
  ms: number;
  /** The result's `resultType`, "tool_error" for a tool's own error, or "error". */
  outcome: string;
  /** The JSON-RPC error code, when `outcome` is "error". */
  code?: number;
}

/** Options of `accessLog`. */
export interface AccessLogOptions {
  /** Receives each line as an object. An error that it throws is reported and never fails a request. */
  write: (line: AccessLine) => void;
}

const knownAccessLogOptions: KnownOptions<AccessLogOptions> = { write: "a function" };

/**
 * Writes one line per request with method, target, caller, duration in ms and outcome. An error of `write` fails no request.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { accessLog } from "@lethe/server/middleware";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.use(accessLog({ write: (line) => console.log(JSON.stringify(line)) }));
 */
export function accessLog(options: AccessLogOptions): Middleware {
  checkOptions("accessLog", options, knownAccessLogOptions);
  const { write } = options;
  /** Holds the line and not the request, which a subscription would otherwise keep alive as long as itself. */
  async function finish(running: Promise<Result>, line: AccessLine, startedAt: number): Promise<Result> {
    try {
      const result = await running;
      line.outcome = outcomeOf(result);
      return result;
    } catch (error) {
      line.outcome = "error";
      line.code = codeOf(error);
      throw error;
    } finally {
      line.ms = Math.round((performance.now() - startedAt) * 1000) / 1000;
      tryWrite(write, line);
    }
  }

  return (next) => (request, exchange) => {
    const line = beginLine(request, exchange.caller?.id);
    const startedAt = performance.now();
    return finish(next(request, exchange), line, startedAt);
  };
}

/** "tool_error" tells a tool that failed from one that answered: both are results on the wire. */
function outcomeOf(result: Result): string {
  return result.isError === true ? "tool_error" : result.resultType;
}

function codeOf(error: unknown): McpError["code"] {
  return isMcpError(error) ? error.code : -32603;
}

function beginLine(request: ModernRequest, callerId: string | undefined): AccessLine {
  const name = targetLabelOf(request);
  return {
    time: new Date().toISOString(),
    method: methodLabelOf(request),
    ...(name === undefined ? {} : { name }),
    ...(callerId === undefined ? {} : { caller: callerId }),
    ms: 0,
    outcome: "error",
  };
}

function tryWrite(write: (line: AccessLine) => void, line: AccessLine): void {
  try {
    write(line);
  } catch (error) {
    console.error(error);
  }
}
