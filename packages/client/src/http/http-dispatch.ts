// Speaks revision 2026-07-28 over HTTP (B.6): the Dispatch of one endpoint.
import { type Dispatch, type ModernRequest, method } from "@lethe/protocol";
import type { ConnectionEnd } from "../call/connection.ts";
import { createOpenRequests } from "../call/open-requests.ts";
import { nameOfEndpoint } from "./endpoint.ts";
import { fillHttpOptions, type HttpOptions } from "./http-options.ts";
import type { HttpSend } from "./http-send.ts";
import { createPost } from "./post.ts";
import { recover } from "./recover.ts";
import { repeatUnsent } from "./retries.ts";

export interface HttpDispatch {
  readonly dispatch: Dispatch;
  readonly closed: Promise<ConnectionEnd>;
  /** Cancels all open requests. */
  close(): void;
}

/** Throws TypeError for invalid options. */
export function createHttpDispatch(url: URL, send: HttpSend, options: HttpOptions = {}): HttpDispatch {
  const settings = fillHttpOptions(options);
  const post = createPost(url, send, settings);
  const open = createOpenRequests(nameOfEndpoint(url), settings);

  return {
    async dispatch(request, exchange) {
      const deadline = open.begin(request, exchange);
      try {
        return await post(request, exchange, deadline);
      } catch (error) {
        const send = (next: ModernRequest) => post(next, exchange, deadline);
        // A subscription begins again by itself.
        if (request.method === method.listen || !settings.retries) return await recover(error, request, send);
        return await repeatUnsent(error, () => send(request), { retries: settings.retries, signal: deadline }).catch(
          (last) => recover(last, request, send),
        );
      } finally {
        open.end(deadline);
      }
    },
    closed: open.closed,
    close: () => open.close("closed by the client"),
  };
}
