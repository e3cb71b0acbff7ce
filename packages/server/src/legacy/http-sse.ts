// HTTP+SSE of 2024-11-05 (D-32): one stream that never ends, and an endpoint to post to. The stream is the session, so that
// here, and only here, a client is bound to one process.
import { errorCode, isJsonObject, McpError, protocolVersionHeader, toSseEvent } from "@lethe/protocol";
import { requestIdOf } from "../http/admit.ts";
import { acceptedAnswer, toRefusal } from "../http/answers.ts";
import { toErrorText } from "../http/response-text.ts";
import type { LegacyCall } from "../http/servable.ts";
import { sessionHeader } from "./claims.ts";
import { Duplex } from "./duplex.ts";
import type { LegacyParts } from "./legacy-parts.ts";
import { toPeer } from "./peer.ts";
import { randomId } from "./random-id.ts";

export interface HttpSse {
  /** Whether a POST to this URL belongs to a stream of this kind. */
  ownsPost(url: string): boolean;
  /** Whether this GET opens one: at its own path, or where a client of this revision was given the ordinary URL. */
  ownsGet(call: LegacyCall): boolean;
  open(call: LegacyCall): void;
  post(call: LegacyCall): void;
  close(): void;
}

interface Paths {
  readonly path: string;
  readonly messagesPath: string;
}

interface SseSession {
  readonly duplex: Duplex;
  readonly callerId: string | undefined;
  readonly call: LegacyCall;
}

/** The name that all servers of this revision use. */
const idParam = "session_id";
const unknown = toRefusal(404, "no such session: its stream has ended");
const busy = toRefusal(503, "too many sessions are in use", { "Retry-After": "5" });

export function createHttpSse(parts: LegacyParts, paths: Paths): HttpSse {
  const sessions = new Map<string, SseSession>();

  return {
    ownsPost(url) {
      if (pathOf(url).endsWith(paths.messagesPath)) return true;
      // Every modern request comes by here.
      return sessions.size > 0 && url.includes(idParam) && sessions.has(idOf(url) ?? "");
    },

    ownsGet({ url, headers }) {
      if (headers(sessionHeader) !== undefined) return false;
      if (pathOf(url).endsWith(paths.path)) return true;
      const isOlder = headers(protocolVersionHeader) === undefined && headers("last-event-id") === undefined;
      return isOlder && (headers("accept") ?? "").includes("text/event-stream");
    },

    open(call) {
      if (sessions.size >= parts.settings.maxSessions) return call.answer(busy);
      if (!call.beginStream(true)) return;
      const id = randomId();
      const wire = {
        send: (text: string) => call.send(toSseEvent(text, { event: "message" })),
        get isSlow() {
          return call.isSlow;
        },
        drained: () => call.drained(),
      };
      const duplex = new Duplex(wire, parts, toPeer(call));
      sessions.set(id, { duplex, callerId: call.caller?.id, call });
      call.send(toSseEvent(toEndpoint(call.url, id, paths), { event: "endpoint" }));
      call.onAbort(() => {
        sessions.delete(id);
        duplex.cutOff();
      });
    },

    post(call) {
      const session = sessions.get(idOf(call.url) ?? "");
      if (!session || session.callerId !== call.caller?.id) return call.answer(unknown);
      call.answer(acceptedAnswer);
      const { message } = call;
      if (session.duplex.receive(message, toPeer(call)) || !isJsonObject(message) || !("id" in message)) return;
      const error = new McpError(errorCode.invalidRequest, "invalid request: begin with initialize");
      session.duplex.send(toErrorText(requestIdOf(message), error));
    },

    close() {
      for (const { duplex, call } of sessions.values()) {
        duplex.cutOff();
        call.endStream();
      }
      sessions.clear();
    },
  };
}

/** Relative to the origin. The query stays, for whatever stands in front of us may need it. */
function toEndpoint(url: string, id: string, { path, messagesPath }: Paths): string {
  const asked = pathOf(url).replace(/^\/{2,}/, "/");
  const endpoint = asked.endsWith(path) ? asked.slice(0, -path.length) + messagesPath : asked;
  const query = url.slice(pathOf(url).length + 1);
  return `${endpoint}?${query === "" ? "" : `${query}&`}${idParam}=${id}`;
}

function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

function idOf(url: string): string | undefined {
  return new URLSearchParams(url.slice(pathOf(url).length)).get(idParam) ?? undefined;
}
