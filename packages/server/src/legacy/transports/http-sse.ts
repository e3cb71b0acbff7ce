// HTTP+SSE of 2024-11-05 (D-32): one stream that never ends, and an endpoint to post to. The stream is the session, so that
// here, and only here, a client is bound to one process; what it posts to another finds the way there if there is a relay.
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

export interface HttpSse {
  /** Whether a POST to this URL belongs to a stream of this kind. */
  ownsPost(url: string): boolean;
  /** Whether this GET opens one: at its own path, or where a client of this revision was given the ordinary URL. */
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

/** The name that all servers of this revision use. */
const idParam = "session_id";
const unknown = toRefusal(404, "no such session: its stream has ended");
const unreachable = toRefusal(503, "the process that holds the stream cannot be reached now", { "Retry-After": "1" });
const busy = toRefusal(503, "too many sessions are in use", { "Retry-After": "5" });

export function createHttpSse(context: LegacyContext, paths: Paths): HttpSse {
  const sessions = new Map<string, SseSession>();
  const { relay } = context.settings;
  const stopHearing = relay?.hear(({ sessionId, message, ...peer }) => take(sessions.get(sessionId), message, peer));

  /** False when there is no such session of this peer. */
  function take(session: SseSession | undefined, message: unknown, peer: Peer, accept?: () => void): boolean {
    if (!session || session.callerId !== peer.caller?.id) return false;
    accept?.();
    if (session.duplex.receive(message, peer) || !isJsonObject(message) || !("id" in message)) return true;
    const error = new McpError(errorCode.invalidRequest, "invalid request: begin with initialize");
    session.duplex.send(toErrorText(requestIdOf(message), error));
    return true;
  }

  async function passOn(call: LegacyHttpCall, sessionId: string, address: string): Promise<void> {
    try {
      const isHeard = await relay?.send(address, { sessionId, message: call.message, ...toPeer(call) });
      call.answer(isHeard ? acceptedAnswer : unknown);
    } catch {
      call.answer(unreachable);
    }
  }

  return {
    ownsPost(url) {
      if (pathOf(url).endsWith(paths.messagesPath)) return true;
      // Every modern request comes by here.
      if ((sessions.size === 0 && !relay) || !url.includes(idParam)) return false;
      const id = idOf(url) ?? "";
      return sessions.has(id) || (relay !== undefined && addressOf(id) !== undefined);
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
      if (address !== undefined && address !== relay?.address) return passOn(call, id, address);
      if (!take(session, call.message, toPeer(call), () => call.answer(acceptedAnswer))) call.answer(unknown);
    },

    close() {
      stopHearing?.();
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

/** Of the process that holds the stream; undefined for an id without one. */
function addressOf(id: string): string | undefined {
  return /^([A-Za-z0-9_-]{1,32})\./.exec(id)?.[1];
}

function idOf(url: string): string | undefined {
  return new URLSearchParams(url.slice(pathOf(url).length)).get(idParam) ?? undefined;
}
