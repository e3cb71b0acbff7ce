// The gateway: every upstream of a configuration behind one stateless endpoint, and each alone behind its own.
import { createKeyRing, createSeal, keysFromEnvironment, type Servable } from "@lethe/server";
import { createStateSeal } from "./bridge/call-state.ts";
import { type ParkedCall, ParkedCalls } from "./bridge/parked-calls.ts";
import { createResourceWatches } from "./bridge/resource-watches.ts";
import type { CatalogView } from "./catalog/catalog-view.ts";
import { LiveCatalog } from "./catalog/live-catalog.ts";
import type { GatewayConfig, UpstreamConfig } from "./config/upstream-config.ts";
import { basePath, createEndpoint, type Endpoint } from "./create-endpoint.ts";
import { createMember, type Member, type MemberParts, withoutUndefined } from "./create-member.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import type { Session } from "./sessions/session.ts";
import type { UpstreamSessions } from "./sessions/upstream-sessions.ts";
import { createLocalDirectory } from "./store/directory.ts";
import { createGatewayTasks } from "./tasks/gateway-tasks.ts";
import type { LiveTask } from "./tasks/own-tasks.ts";
import { gatewayInfo } from "./upstream/own-request.ts";

export interface Gateway {
  /** `/mcp` is everything; `/mcp/{name}` is one upstream alone. */
  endpointAt(path: string): Endpoint | undefined;
  servableAt(path: string): Servable | undefined;
  /** In the order of the lists. */
  readonly upstreams: readonly UpstreamSessions[];
  /** What everything together offers. */
  readonly catalog: CatalogView;
  /** How many calls wait for an answer of their callers. */
  readonly parkedCalls: number;
  /** The oldest first, and when each is given up, in ms since 1970. */
  readonly parked: readonly (ParkedCall & { readonly expiresAt: number })[];
  /** The tasks that the gateway itself has made and that have not ended, the oldest first. */
  readonly tasks: readonly LiveTask[];
  /** Resolves when every upstream of the beginning has been started and read, or has failed to be, once. */
  readonly started: Promise<void>;
  /** Resolves when each of them has also been probed. */
  readonly settled: Promise<void>;
  /**
   * Touches only the upstreams that differ. What runs at one that goes is let finish for `graceMs`, 30,000 by default. Calls
   * that wait for their callers at one that changes go on where they wait, for as long again as a call may wait.
   */
  reconfigure(upstreams: readonly UpstreamConfig[], options?: { graceMs?: number }): Changes;
  /** Ends streams, connections and processes. */
  close(): Promise<void>;
}

export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Resolves when those that are new have been started and read, or have failed to be. */
  readonly started: Promise<void>;
  /** Resolves when each of them has also been probed. */
  readonly settled: Promise<void>;
}

/** States of modern upstreams travel inside ours. */
const maxStateBytes = 256 * 1024;

export function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Gateway {
  const { onProblem, mayRead, mayCall } = options;
  const { directory = createLocalDirectory() } = options;
  const parked = new ParkedCalls(options);
  const { maxWatchedPerCaller } = config.settings?.limits ?? {};
  const watches = createResourceWatches({
    ...withoutUndefined({ maxWatchedPerCaller }),
    ...options,
    currentOf: (name) => upstreams.get(name),
  });
  const ring = createKeyRing(options.keys ?? keysFromEnvironment());
  const sealOptions = { server: gatewayInfo.name, ttlMs: parked.ttlMs, maxBytes: maxStateBytes };
  const complaints = onProblem ? { onProblem } : {};
  const catalog = new LiveCatalog(complaints);
  const { afterMs, ttlMs, max: maxTasks, maxPerCaller: maxTasksPerCaller } = config.settings?.tasks ?? {};
  const tasks = createGatewayTasks({
    ring,
    directory,
    bounds: withoutUndefined({ afterMs, ttlMs, maxTasks, maxTasksPerCaller }),
    bridge: () => merged.bridge,
    sessionsOf: (name) => upstreams.get(name),
    ...complaints,
    ...withoutUndefined({ maxFollowed: options.maxFollowed }),
  });
  const shared = {
    seal: createStateSeal(createSeal(ring, sealOptions)),
    directory,
    parked,
    watches,
    tasks,
    retiredOf: (name: string) => [...retiring.keys()].filter((sessions) => sessions.name === name),
    onListed: (names: readonly string[]) => catalog.touch(names),
    ...(mayRead && { mayRead }),
    ...(mayCall && { mayCall }),
  };

  const members = new Map<string, Member>();
  const upstreams = new Map<string, UpstreamSessions>();
  const retiring = new Map<UpstreamSessions, Promise<void>>();
  const merged: Endpoint = createEndpoint({ path: basePath, upstreams, isMerged: true, ...complaints, ...shared });

  const memberParts: MemberParts = {
    ...shared,
    catalog,
    options,
    isProbing: config.settings?.isProbing !== false,
    isCurrent: (member) => members.get(member.sessions.name) === member,
  };

  /** Callers that listen to it alone learn that it is over; whoever listens to everything hears of the changed lists. */
  function retire({ sessions, connector, endpoint }: Member, graceMs: number): void {
    void endpoint.servable.close?.();
    // Nobody gets to the calls of one that is not served any more.
    const hold = upstreams.has(sessions.name) && { holdMs: parked.ttlMs, isHeld: isParkedIn };
    const retired = sessions.retire({ graceMs, ...hold }).then(() => {
      connector.close();
      retiring.delete(sessions);
    });
    retiring.set(sessions, retired);
  }

  function isParkedIn(session: Session): boolean {
    return parked.isIn(session);
  }

  /** In the order of the configuration, which is that of the lists. */
  function install(next: ReadonlyMap<string, Member>): void {
    members.clear();
    upstreams.clear();
    for (const [name, member] of next) {
      members.set(name, member);
      upstreams.set(name, member.sessions);
    }
    const all = [...next.values()];
    const views = [merged.view, ...all.map(({ endpoint }) => endpoint.view)];
    catalog.follow(
      all.map(({ source }) => source),
      views,
    );
  }

  function reconfigure(wanted: readonly UpstreamConfig[], { graceMs = 30_000 } = {}): Changes {
    const before = new Map(members);
    const next = new Map<string, Member>();
    const fresh: Member[] = [];
    for (const upstream of wanted) {
      const known = before.get(upstream.name);
      const isSame = known && JSON.stringify(known.sessions.config) === JSON.stringify(upstream);
      const member = isSame ? known : createMember(upstream, memberParts);
      if (!isSame) fresh.push(member);
      next.set(upstream.name, member);
    }
    install(next);
    for (const [name, member] of before) if (next.get(name) !== member) retire(member, graceMs);
    const names = fresh.map(({ sessions }) => sessions.name);
    const started = start(fresh, catalog);
    return {
      added: names.filter((name) => !before.has(name)),
      changed: names.filter((name) => before.has(name)),
      removed: [...before.keys()].filter((name) => !next.has(name)),
      started,
      settled: started.then(() => Promise.all(fresh.map(({ sessions }) => sessions.settled))).then(() => {}),
    };
  }

  const { started, settled } = reconfigure(config.upstreams);
  const endpointAt = (path: string): Endpoint | undefined =>
    path === basePath
      ? merged
      : members.get(path.startsWith(`${basePath}/`) ? path.slice(basePath.length + 1) : "")?.endpoint;
  return {
    endpointAt,
    servableAt: (path) => endpointAt(path)?.servable,
    get upstreams() {
      return [...upstreams.values()];
    },
    catalog: merged.view,
    get parkedCalls() {
      return parked.size;
    },
    get parked() {
      return parked.calls;
    },
    get tasks() {
      return tasks.own.live;
    },
    started,
    settled,
    reconfigure,
    async close() {
      void merged.servable.close?.();
      const all = [...members.values()];
      for (const { endpoint } of all) void endpoint.servable.close?.();
      catalog.close();
      watches.close();
      parked.close();
      await tasks.close();
      const ending = [...retiring.values()];
      await Promise.all(
        [...all.map(({ sessions }) => sessions), ...retiring.keys()].map((sessions) => sessions.close()),
      );
      for (const { connector } of all) connector.close();
      await Promise.all(ending);
    },
  };
}

async function start(members: readonly Member[], catalog: LiveCatalog): Promise<void> {
  await Promise.allSettled(members.map(({ sessions }) => sessions.start().then(() => catalog.read(sessions.name))));
}
