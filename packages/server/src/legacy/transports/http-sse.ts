// HTTP+SSE of 2024-11-05 (D-32): a permanent event stream, and an endpoint for POSTs. The stream is the session, so only this
// transport binds a client to one process. A relay delivers POSTs that reach another process.
import { errorCode, isJsonObject, McpError, protocolVersionHeader, toSseEvent } from "@lethe/protocol";
import { requestIdOf } from "../../http/admit.ts";
import { acceptedAnswer, toRefusal } from "../../http/answers.ts";
import { toErrorText } from "../../http/response-text.ts";
import type { LegacyHttpCall } from "../../http/servable.ts";
import { randomId } from "../sessions/session-facts.ts";
import type { LegacyContext } from "../shared/legacy-context.ts";
import { type Peer, toPeer } from "../shared/legacy-context.ts";
import { sessionHeader } from "./detect-legacy.ts";
import { Duplex } from "./duplex.ts";
import { addressOf, idOf, idParam, isSsePost, pathOf } from "./sse-url.ts";

export interface HttpSse {
  /** True for a POST that belongs to a stream of this transport. */
  ownsPost(url: string): boolean;
  /** True for a GET that opens a stream: at the path of this transport, or from a client of 2024-11-05 at the MCP endpoint. */
  ownsGet(call: LegacyHttpCall): boolean;
  open(call: LegacyHttpCall): void;
  post(call: LegacyHttpCall): Promise<void> | void;
  close(): void;
}

interface Paths {
  readonly path: string;
  readonly messagesPath: string;
}

interface SseSession {
  readonly duplex: Duplex;
  readonly callerId: string | undefined;
  readonly call: LegacyHttpCall;
}

const sessionUnknown = toRefusal(404, "no such session: its stream has ended");
const unreachable = toRefusal(503, "the process that holds the stream cannot be reached", { "Retry-After": "1" });
const busy = toRefusal(503, "too many sessions are in use", { "Retry-After": "5" });

export function createHttpSse(context: LegacyContext, paths: Paths): HttpSse {
  const sessions = new Map<string, SseSession>();
  const { relay } = context.settings;
  const stopListening = relay?.listen(({ sessionId, message, ...peer }) =>
    deliver(sessions.get(sessionId), message, peer),
  );

  /** Returns false if the peer has no such session. `call` is the POST that brought the message, unless another process received it. */
  function deliver(session: SseSession | undefined, message: unknown, peer: Peer, call?: LegacyHttpCall): boolean {
    if (!session || session.callerId !== peer.caller?.id) return false;
    const release = call?.retain();
    call?.answer(acceptedAnswer);
    if (session.duplex.receiveMessage(message, peer, release)) return true;
    release?.();
    if (!isJsonObject(message) || !("id" in message)) return true;
    const error = new McpError(errorCode.invalidRequest, "invalid request: send initialize first");
    session.duplex.send(toErrorText(requestIdOf(message), error));
    return true;
  }

  async function forward(call: LegacyHttpCall, sessionId: string, address: string): Promise<void> {
    try {
      const isDelivered = await relay?.send(address, { sessionId, message: call.message, ...toPeer(call) });
      call.answer(isDelivered ? acceptedAnswer : sessionUnknown);
    } catch {
      call.answer(unreachable);
    }
  }

  return {
    ownsPost(url) {
      if (isSsePost(url, paths, relay !== undefined)) return true;
      // Every modern request passes this check.
      return sessions.size > 0 && url.includes(idParam) && sessions.has(idOf(url) ?? "");
    },

    ownsGet({ url, headers }) {
      if (headers(sessionHeader) !== undefined) return false;
      if (pathOf(url).endsWith(paths.path)) return true;
      const isOlder = headers(protocolVersionHeader) === undefined && headers("last-event-id") === undefined;
      return isOlder && (headers("accept") ?? "").includes("text/event-stream");
    },

    open(call) {
      if (sessions.size >= context.settings.maxSessions) return call.answer(busy);
      if (!call.beginStream(true)) return;
      const id = relay ? `${relay.address}.${randomId()}` : randomId();
      const wire = {
        send: (text: string) => call.send(toSseEvent(text, { event: "message" })),
        get isSlow() {
          return call.isSlow;
        },
        drained: () => call.drained(),
      };
      const duplex = new Duplex(wire, context, toPeer(call));
      sessions.set(id, { duplex, callerId: call.caller?.id, call });
      call.send(toSseEvent(toEndpoint(call.url, id, paths), { event: "endpoint" }));
      call.onAbort(() => {
        sessions.delete(id);
        duplex.cutOff();
      });
    },

    post(call) {
      const id = idOf(call.url) ?? "";
      const session = sessions.get(id);
      const address = session || !relay ? undefined : addressOf(id);
      if (address !== undefined && address !== relay?.address) return forward(call, id, address);
      if (!deliver(session, call.message, toPeer(call), call)) call.answer(sessionUnknown);
    },

    close() {
      stopListening?.();
      for (const { duplex, call } of sessions.values()) {
        duplex.cutOff();
        call.endStream();
      }
      sessions.clear();
    },
  };
}

/** A URL relative to the origin. Keeps the query, because a proxy in front may need it. */
function toEndpoint(url: string, id: string, { path, messagesPath }: Paths): string {
  const requested = pathOf(url).replace(/^\/{2,}/, "/");
  const endpoint = requested.endsWith(path) ? requested.slice(0, -path.length) + messagesPath : requested;
  const query = url.slice(pathOf(url).length + 1);
  return `${endpoint}?${query === "" ? "" : `${query}&`}${idParam}=${id}`;
}
