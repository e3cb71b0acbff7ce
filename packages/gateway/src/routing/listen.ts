// subscriptions/listen at the gateway (E.2, J-60): changes of the merged lists, and updates of resources from the sessions
// of whoever listens. One caller never hears of what happens in the sessions of another.
import {
  type Dispatch,
  type Exchange,
  type ListenFilter,
  type ModernRequest,
  parseListenFilter,
  type Result,
} from "@lethe/protocol";
import { type ChangeKind, createHub, type Hub } from "@lethe/server";
import type { ResourceWatches, Watch } from "../bridge/resource-watches.ts";
import { handleOf } from "../bridge/session-argument.ts";
import type { ListKind } from "../catalog/catalog-view.ts";
import type { UpstreamSessions } from "../sessions/upstream-sessions.ts";

export interface ListenOptions {
  readonly watches: ResourceWatches;
  /** Who has a resource; undefined when nobody does. */
  ownerOf(uri: string): UpstreamSessions | undefined;
}

export interface Listening {
  readonly listen: Dispatch;
  publish(kind: ListKind): void;
  /** Ends every stream with its result (E-16) and takes no more. */
  close(): void;
}

const kinds: ReadonlySet<ChangeKind> = new Set(["tools", "prompts", "resources", "resource"]);
/** As the hub has it. */
const maxUris = 1_000;

interface CallerHub {
  readonly hub: Hub;
  readonly onUpdate: (uri: string) => void;
  /** How many listen, or are about to. */
  users: number;
}

export function createListening({ watches, ownerOf }: ListenOptions): Listening {
  /** By caller; one for all who do not say who they are. */
  const hubs = new Map<string | undefined, CallerHub>();
  let isClosed = false;

  function hubOf(callerId: string | undefined): CallerHub {
    const known = hubs.get(callerId);
    if (known) return known;
    const hub = createHub({ supports: () => kinds });
    if (isClosed) hub.close();
    const made: CallerHub = { hub, onUpdate: (uri) => hub.publish({ kind: "resource", uri }), users: 0 };
    hubs.set(callerId, made);
    return made;
  }

  async function listen(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const callerId = exchange.caller?.id;
    const filter = parseListenFilter(request.params);
    const uris = [...new Set(filter.resourceSubscriptions)];
    const own = hubOf(callerId);
    own.users += 1;
    let held: Watch[] | undefined;
    try {
      if (uris.length > 0 && uris.length <= maxUris) held = await watchAll(request, callerId, uris);
      return await own.hub.listen(held ? withUris(request, filter, held) : request, exchange);
    } finally {
      for (const { release } of held ?? []) release();
      own.users -= 1;
      if (own.users === 0) hubs.delete(callerId);
    }
  }

  async function watchAll(
    request: ModernRequest,
    callerId: string | undefined,
    uris: readonly string[],
  ): Promise<Watch[]> {
    const { onUpdate } = hubOf(callerId);
    const handle = handleOf(request.params, false);
    const owned = new Map<UpstreamSessions, string[]>();
    for (const uri of uris) {
      const sessions = ownerOf(uri);
      if (sessions) owned.set(sessions, [...(owned.get(sessions) ?? []), uri]);
    }
    return Promise.all(
      [...owned].map(([sessions, own]) => watches.acquire({ sessions, callerId, handle }, own, onUpdate)),
    );
  }

  return {
    listen,
    publish(kind) {
      for (const { hub } of hubs.values()) hub.publish({ kind });
    },
    close() {
      isClosed = true;
      for (const { hub } of hubs.values()) hub.close();
    },
  };
}

/** Only what was granted is acknowledged (E-11), as it was asked for (E-19). */
function withUris(request: ModernRequest, filter: ListenFilter, held: readonly Watch[]): ModernRequest {
  const { resourceSubscriptions: _, ...notifications } = filter;
  const granted = held.flatMap(({ uris }) => uris);
  if (granted.length > 0) Object.assign(notifications, { resourceSubscriptions: granted });
  return { ...request, params: { ...request.params, notifications } };
}
