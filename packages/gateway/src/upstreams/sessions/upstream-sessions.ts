// The sessions of one upstream: finds or opens the session of each request and runs the request in it.
import type { Connection } from "@lethe/client";
import { type Dispatch, type Exchange, isMcpError, type ModernRequest, type Result } from "@lethe/protocol";
import type { Affinity, UpstreamConfig } from "../../config/upstream-config.ts";
import { type DeclaredExtensions, noExtensions } from "../../extensions/declared-extensions.ts";
import { extensionFilterOf } from "../../extensions/extension-filter.ts";
import { requireCallerCredentials } from "../connection/credentials.ts";
import { noMask, type SecretMask } from "../connection/secret-mask.ts";
import { Upstream } from "../connection/upstream.ts";
import { withTimeout } from "../connection/with-timeout.ts";
import type { Verdict } from "../verdict/verdict.ts";
import { isSame, type VerdictChange, VerdictTracker } from "../verdict/verdict-tracker.ts";
import { affinityIn, ownKey, toSessionKey } from "./affinity.ts";
import { DeclaredSessions } from "./declared-sessions.ts";
import type { LegacyEra } from "./legacy-era.ts";
import { type FilledLimits, fillLimits } from "./pool-limits.ts";
import type { Session, SessionKey } from "./session.ts";
import type { RemoteOwner } from "./session-leases.ts";
import { SessionLosses } from "./session-losses.ts";
import { SessionPlacement } from "./session-placement.ts";
import { SessionPool } from "./session-pool.ts";
import { SessionRequests } from "./session-requests.ts";
import { directoryNameOf } from "./session-room.ts";
import { SessionRouter } from "./session-router.ts";
import { SessionStarts } from "./session-starts.ts";
import type { PooledSessions } from "./session-table.ts";
import { SingleTenantDetector } from "./single-tenant-detector.ts";
import { freeKeyOf } from "./spare-session.ts";
import type { Retirement, SessionWish, UpstreamSessionsOptions } from "./upstream-sessions-options.ts";

export type { Retirement, UpstreamSessionsOptions };

export class UpstreamSessions {
  readonly name: string;
  readonly config: UpstreamConfig;
  readonly limits: FilledLimits;
  /** Masks secrets in error text of the upstream for callers. */
  readonly mask: SecretMask;
  /** Runs requests of the gateway itself in its own session. Rejects with McpError or TransportError. */
  readonly dispatch: Dispatch;
  readonly upstream: Upstream;
  readonly legacyEra: LegacyEra | undefined;
  /** For the older era of an upstream: returns the sessions of the newer era. */
  readonly newerEra: (() => UpstreamSessions | undefined) | undefined;
  readonly isLegacyEra: boolean;
  /** Which callers must be told that the state of their session is lost. */
  readonly losses: SessionLosses;
  readonly sessions: PooledSessions;
  readonly #options: UpstreamSessionsOptions;
  /** The sessions for callers that declare extensions. */
  readonly declared: DeclaredSessions;
  readonly #pool: SessionPool;
  readonly #singleTenant: SingleTenantDetector;
  readonly #starts: SessionStarts;
  readonly #verdicts: VerdictTracker;
  readonly #router: SessionRouter;
  readonly #requests: SessionRequests;
  #isRetired = false;

  constructor(options: UpstreamSessionsOptions) {
    const { config } = options;
    this.name = config.name;
    this.config = config;
    this.legacyEra = options.legacyEra;
    this.newerEra = options.newerEra;
    this.isLegacyEra = this.newerEra !== undefined;
    this.mask = options.mask ?? noMask;
    this.#options = options;
    const { directory, isKeyOfSuccessor, lost, rooms } = options;
    const directoryName = directoryNameOf(this);
    this.losses = new SessionLosses({ upstream: this.name, directoryName, lost, verdict: () => this.verdict });
    const limits = fillLimits(config.sessions);
    this.limits = limits;
    this.upstream = new Upstream({ ...options, name: config.name });
    this.#starts = new SessionStarts(this.upstream, limits);
    this.#verdicts = new VerdictTracker({
      transport: () => (config.kind === "stdio" ? "stdio" : "http"),
      ...options,
      onVerdict: (change) => this.#follow(change),
      onDoubt: () => this.#renew((open) => open === this.connection),
    });
    this.#singleTenant = new SingleTenantDetector(options);
    this.#pool = new SessionPool({
      ...{ upstream: this.upstream, limits },
      keepsOwn: config.start !== "demand",
      onOpen: ({ key }, connection) => this.#opened(connection, key.isOwn === true),
      crowding: this.#singleTenant,
      onRefused: (error) => this.#refused(error),
      onLoss: (session, cause) => this.losses.record(session, cause),
      onEnd: (session) => this.#ended(session),
    });
    this.sessions = this.#pool.sessions;
    this.declared = new DeclaredSessions({
      ...{ declarations: options.declarations, pool: this.#pool },
      isSingle: () => this.isSingleTenant || this.verdict?.sharing === "single",
    });
    this.#requests = new SessionRequests({
      ...{ config, tracing: options.tracing, upstream: this.upstream, judge: this.#verdicts, losses: this.losses },
      ...{ openings: this.#starts, waiting: this.#pool.waiting },
    });
    this.#router = new SessionRouter({
      upstream: this.name,
      ...{ directoryName, pool: this.#pool, directory, losses: this.losses, isKeyOfSuccessor },
      placement: rooms && new SessionPlacement({ upstream: this.name, directoryName, limits, pool: this.#pool, rooms }),
    });
    this.dispatch = this.dispatchWith(noExtensions);
  }

  /** Returns a Dispatch for requests of the gateway itself that declare extensions, in a session that was opened with them. */
  dispatchWith(declared: DeclaredExtensions): Dispatch {
    return async (request, exchange) => {
      const session = await this.declared.sessionFor(declared, await this.#own());
      this.enter(session);
      return this.run(session, request, exchange).finally(() => this.leave(session));
    };
  }

  /** Opens the gateway's own session, or waits until it is open. Rejects if this start fails. */
  async start(): Promise<Connection> {
    await this.#singleTenant.recall();
    return (await this.#own()).opened;
  }

  /** Whether the upstream accepts one connection at a time: it ended when a second one began. */
  get isSingleTenant(): boolean {
    return this.#singleTenant.isKnown;
  }

  /** What the configuration, the probe and the connections say about the upstream. Undefined before the first of them. */
  get verdict(): Verdict | undefined {
    return this.#verdicts.verdict;
  }

  /** Resolves when no probe is running. Never rejects. */
  get settled(): Promise<void> {
    return this.#verdicts.settled;
  }

  /** The connection of the gateway's own session, if that is open. */
  get connection(): Connection | undefined {
    return this.#pool.find(ownKey.value)?.connection;
  }

  /** Whether this key has a session. */
  has({ value }: SessionKey): boolean {
    return this.#pool.find(value) !== undefined;
  }

  /** How long a request waits for a start, in ms. */
  get startWaitMs(): number {
    return this.#starts.waitMs;
  }

  /** Resolves when the gateway's own session is open. Rejects with McpError if that fails or takes too long. */
  async ready(): Promise<void> {
    await this.#starts.wait(await this.#own());
  }

  /** The number of requests that wait for a session, a start or their turn. */
  get waitingCount(): number {
    return this.#starts.waiting + this.#pool.waiting.size;
  }

  /**
   * Returns the session for a new request of this caller, or the replica that owns it. An unknown handle rejects with
   * "session_gone". With handle affinity and no handle, a request that `begins` a session gets a new one; any other request
   * gets the session of its caller.
   */
  sessionFor(callerId: string | undefined, wish: SessionWish = {}): Session | Promise<Session | RemoteOwner> {
    const { handle, begins = true, declared: all = noExtensions } = wish;
    requireCallerCredentials(this.config, callerId);
    const { affinity } = this;
    const declared = extensionFilterOf(this.config).narrow(all);
    if (affinity === undefined) {
      // Anonymous callers use this session with every affinity.
      if (callerId === undefined && this.connection && declared === noExtensions) return this.#own();
      return this.#sessionLater(callerId, { ...wish, declared });
    }
    const isNameless = affinity === "handle" && handle === undefined && !begins;
    const key = this.declared.keyFor(toSessionKey(isNameless ? "caller" : affinity, callerId, handle), declared);
    const free =
      key.isOwn && this.limits.maxShared > 1 && !this.isSingleTenant
        ? freeKeyOf(this.#pool, key, this.limits.maxShared)
        : key;
    return this.#router.find(free) ?? this.#router.acquire(free, wish);
  }

  /** Which requests share a session. Undefined while nothing is known about the upstream. */
  get affinity(): Affinity | undefined {
    return affinityIn(this.config, this.#verdicts.isOpen ? undefined : this.verdict);
  }

  /** Returns this upstream's endpoint at the replica that owns a session, or undefined if that replica is gone. */
  reach({ replica, key }: RemoteOwner): Dispatch | undefined | Promise<Dispatch | undefined> {
    const { directory, path } = this.#options;
    return path === undefined ? undefined : directory.reach(replica, path, key);
  }

  /** Resolves with the affinity once it is known. Rejects with McpError if that takes too long. */
  async affinityKnown(): Promise<Affinity> {
    if (this.affinity === undefined) {
      await this.#starts.wait(await this.#own());
      await this.settled;
    }
    return this.affinity ?? "caller";
  }

  /** Returns the session of a pending call by its id. */
  sessionOf(id: string): Session | undefined {
    return this.#pool.byId(id);
  }

  /** Between `enter` and `leave`. Rejects with McpError for what the upstream says, else with TransportError, or McpError when it cannot begin. */
  run(session: Session, request: ModernRequest, exchange: Exchange, dispatch?: Dispatch): Promise<Result> {
    return this.#requests.run(session, request, exchange, dispatch);
  }

  /** Keeps a session open while it is in use. Call `leave` afterwards. */
  enter(session: Session): void {
    session.enter();
  }

  /** Gives new requests with this key another session. This session ends when it is idle. */
  replace({ key }: Session): void {
    this.#pool.retireAt(key.value, "replaced");
  }

  leave(session: Session): void {
    session.leave();
    if (session.isIdle) this.#pool.tidy(session);
  }

  /** Gives up the leases of sessions without state, so that other replicas continue them: this replica is stopping. */
  async handOver(): Promise<void> {
    await Promise.all([this.#router.handOver(), this.legacyEra?.sessions?.handOver()]);
  }

  /** Retires all sessions of an upstream that gets no new requests. Each ends when it is idle, or after `graceMs`. */
  async retire({ graceMs, keepsWaiting = false }: Retirement): Promise<void> {
    this.#isRetired = true;
    const legacyRetired = this.legacyEra?.sessions?.retire({ graceMs, keepsWaiting });
    this.#pool.drain(keepsWaiting ? "reconfigured" : undefined);
    const over = keepsWaiting ? this.#pool.untilEmpty() : this.#requests.untilIdle();
    await withTimeout(graceMs, over, () => this.upstream.unavailable()).catch(() => {});
    await legacyRetired;
    await this.close();
  }

  async close(): Promise<void> {
    this.#isRetired = true;
    this.#router.close();
    const stopped = this.upstream.stop();
    this.#pool.close();
    await Promise.all([stopped, this.#verdicts.close(), this.legacyEra?.close()]);
  }

  async #sessionLater(...[callerId, how]: Parameters<UpstreamSessions["sessionFor"]>): Promise<Session | RemoteOwner> {
    await this.affinityKnown();
    return this.sessionFor(callerId, how);
  }

  #opened(connection: Connection, isOwn: boolean): void {
    this.#verdicts.see(connection, isOwn);
    const { sharing = "session", because = "" } = this.verdict ?? {};
    if (isOwn) this.#options.onEvent?.({ kind: "ready", upstream: this.name, sharing, because });
  }

  /** A server that serves the gateway but rejects further clients contradicts its verdict. */
  #refused(error: unknown): void {
    const cause = error instanceof Error ? error.cause : undefined;
    if (isMcpError(cause)) this.#verdicts.doubt(`it refused a further client (${cause.code})`, this.connection);
  }

  /** Retires sessions that do not fit the new verdict. New requests get other sessions immediately. */
  #follow({ verdict, before, because: doubt }: VerdictChange): void {
    if (!before) return;
    const { sharing, because, era } = verdict;
    if (isSame(verdict, before)) return;
    this.#renew((open) => open.era !== era || (sharing !== "shared" && open.isStateful !== true));
    if (doubt === undefined) return;
    this.#options.onEvent?.({ kind: "verdict", upstream: this.name, was: before.sharing, sharing, doubt, because });
  }

  #renew(isOld: (connection: Connection) => boolean): void {
    this.#pool.retire(isOld);
    this.#keep();
  }

  /** Reopens the gateway's own session, unless it is opened on demand. */
  #keep(): void {
    if (this.config.start !== "demand" && !this.#isRetired && !this.isSingleTenant) this.start().catch(() => {});
  }

  #own(): Session | Promise<Session> {
    return this.#pool.acquire(ownKey);
  }

  #ended(session: Session): void {
    this.#options.onSessionEnd?.(session);
    if (session.key.isOwn) this.#keep();
    else this.#router.release(session);
  }
}
