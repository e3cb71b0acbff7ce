// The legacy edge of one server (D.4): serves clients of all older revisions at the same URL and from the same definition.
import {
  checkOptions,
  type Dispatch,
  type Implementation,
  type KnownOptions,
  protocolVersionHeader,
} from "@lethe/protocol";
import { isInternal, toErrorAnswer } from "../http/answers.ts";
import type { LegacyEdge, LegacyHttpCall } from "../http/servable.ts";
import type { KeyRing } from "../seal/key-ring.ts";
import { createSeal } from "../seal/seal.ts";
import { createSessionCache } from "./sessions/session-cache.ts";
import { createSessionTokens } from "./sessions/session-token.ts";
import { maxSessionBytes } from "./sessions/shorten-client.ts";
import { createResultWriter, type LegacyContext, stdioPeer } from "./shared/legacy-context.ts";
import {
  defaultSessionTtlMs,
  fillLegacyOptions,
  knownLegacyOptions,
  type LegacyOptions,
  type LegacySettings,
} from "./shared/legacy-options.ts";
import { LostStreams } from "./shared/lost-streams.ts";
import { isLegacyBody, isModernRevision } from "./transports/detect-legacy.ts";
import { Duplex } from "./transports/duplex.ts";
import { createHttpSse } from "./transports/http-sse.ts";
import { createStreamableHttp, postOnly } from "./transports/streamable-http.ts";

/** The server that `createLegacyEdge` serves to clients of older revisions. */
export interface LegacyServed {
  readonly dispatch: Dispatch;
  readonly info: Implementation;
  /** Seals session ids. All processes that serve the same sessions need the same keys. */
  readonly ring: KeyRing;
  /** True if `dispatch` passes notifications of extensions on. Default: they are dropped. */
  readonly takesNotifications?: boolean;
}

const knownLegacyServed: KnownOptions<LegacyServed> = {
  dispatch: "a function",
  info: "a value",
  ring: "a value",
  takesNotifications: true,
};

/**
 * Creates the edge for clients of older revisions. Returns undefined with `sessions: "off"`. Throws an Error that names an invalid option.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { createLegacyEdge } from "@lethe/server/edge";
 * import { createKeyRing } from "@lethe/server/stores";
 *
 * const { dispatch, info } = createServer({ name: "hello", version: "1.0.0" });
 * const edge = createLegacyEdge({ dispatch, info, ring: createKeyRing(`k1:${"A".repeat(43)}`) });
 * edge?.close();
 */
export function createLegacyEdge(served: LegacyServed, options: LegacyOptions = {}): LegacyEdge | undefined {
  checkOptions("createLegacyEdge", options, knownLegacyOptions);
  checkOptions("createLegacyEdge: served", served, knownLegacyServed);
  if (options.sessions === "off") return undefined;
  return openLegacyEdge(served, fillLegacyOptions(options), options.sessionTtlMs);
}

/** The same from settings that were checked before. */
export function openLegacyEdge(
  served: LegacyServed,
  settings: LegacySettings,
  sessionTtlMs: number = defaultSessionTtlMs,
): LegacyEdge {
  const { dispatch, info, ring, takesNotifications = false } = served;
  const context: LegacyContext = {
    ...{ dispatch: withSession(dispatch), info, settings, writeResult: createResultWriter(), takesNotifications },
    lostStreams: new LostStreams(settings.maxLostStreams),
  };
  const tokens = createSessionTokens(
    createSeal(ring, {
      server: info.name,
      ttlMs: sessionTtlMs,
      maxBytes: maxSessionBytes,
      now: settings.clock.wallTime,
    }),
  );
  const sessions = createSessionCache(tokens, context);
  const http = createStreamableHttp(context, tokens, sessions);
  const sse = settings.sse && createHttpSse(context, settings.sse);

  function route(call: LegacyHttpCall): Promise<void> | void {
    // Modern clients only POST (B-1).
    if (call.verb !== "POST" && isModernRevision(call.headers(protocolVersionHeader))) return call.answer(postOnly);
    if (call.verb === "POST") return sse?.ownsPost(call.url) ? sse.post(call) : http.post(call);
    if (call.verb === "GET") return sse?.ownsGet(call) ? sse.open(call) : http.get(call);
    return http.delete(call);
  }

  function refuse(call: LegacyHttpCall, error: unknown): void {
    if (isInternal(error)) settings.onError(error);
    call.answer(toErrorAnswer(error, undefined, { status: 500 }));
  }

  return {
    paths: settings.sse ? [settings.sse.path, settings.sse.messagesPath] : [],
    claims: (message, { headers, url }) => sse?.ownsPost(url) || isLegacyBody(message, headers),
    receiveCall(call) {
      try {
        const working = route(call);
        if (working instanceof Promise) working.catch((error: unknown) => refuse(call, error));
      } catch (error) {
        refuse(call, error);
      }
    },
    connect: (wire) => new Duplex(wire, context, stdioPeer),
    close() {
      for (const session of sessions.all()) session.endStreams();
      sse?.close();
    },
  };
}

/** Marks each request. The edge owns the request objects, so it can change them. */
function withSession(dispatch: Dispatch): Dispatch {
  return (request, exchange) => {
    request.prefersSession = true;
    return dispatch(request, exchange);
  };
}
