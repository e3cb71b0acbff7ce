// Sends a request to the API. Redirects are followed only within its origin.
import { ToolError } from "@lethe/server";
import type { ApiRequest } from "./build-request.ts";

const maxRedirects = 5;

/** Rejects with ToolError if the API cannot be reached. The message contains nothing of the request. */
export async function send(request: ApiRequest, signal: AbortSignal, sendOne: typeof fetch): Promise<Response> {
  const { method, headers, body } = request;
  let { url } = request;
  for (let redirects = 0; ; redirects++) {
    const init: RequestInit = { method, headers, redirect: "manual", signal, ...(body !== undefined && { body }) };
    const response = await sendOne(url, init).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new ToolError("the API cannot be reached", { cause });
    });
    const next = nextUrl(response, url, method);
    if (!next) return response;
    await response.body?.cancel().catch(() => undefined);
    if (next.origin !== url.origin) throw new ToolError("the API redirects to another origin, which is not followed");
    if (redirects === maxRedirects) throw new ToolError(`the API redirects more than ${maxRedirects} times`);
    url = next;
  }
}

/** Undefined for a response that is the result. Only requests that change nothing are repeated elsewhere. */
function nextUrl(response: Response, url: URL, method: string): URL | undefined {
  const location = response.headers.get("location");
  if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return undefined;
  if (method !== "GET" && method !== "HEAD") return undefined;
  return URL.canParse(location, url) ? new URL(location, url) : undefined;
}
