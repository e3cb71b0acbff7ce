// Runs calls: credentials, request, response, within the limits of the options.
import { ToolError } from "@lethe/server";
import type { Credentials } from "./auth/credentials.ts";
import type { OpenApiOptions } from "./openapi-options.ts";
import type { Call } from "./operations/tool-options.ts";
import { buildRequest } from "./request/build-request.ts";
import { withDeadline } from "./request/deadline.ts";
import { send } from "./request/send.ts";
import { toResult } from "./response/to-result.ts";

/** Throws an Error for an invalid limit. */
export function createCall(credentials: Credentials, options: OpenApiOptions): Call {
  const { maxResponseBytes = 1_048_576, timeoutMs = 30_000, maxConcurrent = 64 } = options;
  requirePositive({ maxResponseBytes, timeoutMs, maxConcurrent });
  let running = 0;
  return async (operation, args, ctx, check) => {
    if (running >= maxConcurrent) throw new ToolError("too many requests to the API are running; retry later");
    running += 1;
    try {
      return await withDeadline(ctx.signal, timeoutMs, async (signal) => {
        const { caller } = ctx;
        const applied = await credentials.resolve(operation.schemes, { tool: operation.name, caller, signal });
        const request = buildRequest(operation, args, applied);
        const response = await send(request, signal, options.fetch ?? fetch);
        const secrets = applied.flatMap((credential) => credential.secrets);
        const uri = `${request.url.origin}${request.url.pathname}`;
        return toResult(response, { maxBytes: maxResponseBytes, secrets, uri, check });
      });
    } finally {
      running -= 1;
    }
  };
}

function requirePositive(limits: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!(value > 0)) throw new Error(`${name}: a number above 0 expected, got ${value}`);
  }
}
