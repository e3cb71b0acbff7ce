// One upstream as its callers meet it: each request finds the session that is its own, or begins it.
import type { Connection } from "@lethe/client";
import { type Dispatch, type Exchange, isMcpError, type ModernRequest, type Result } from "@lethe/protocol";
import type { Affinity, UpstreamConfig } from "../../config/upstream-config.ts";
import { requireCallerCredentials } from "../connection/credentials.ts";
import { noMask, type SecretMask } from "../connection/secret-mask.ts";
import { Upstream } from "../connection/upstream.ts";
import { withTimeout } from "../connection/with-timeout.ts";
import type { Verdict } from "../verdict/verdict.ts";
import { isSame, type VerdictChange, VerdictTracker } from "../verdict/verdict-tracker.ts";
import { affinityIn, ownKey, toSessionKey, toSpareKey } from "./affinity.ts";
import type { LegacyEra } from "./legacy-era.ts";
import type { Session, SessionKey } from "./session.ts";
import type { RemoteOwner } from "./session-leases.ts";
import { fillLimits, SessionPool } from "./session-pool.ts";
import { SessionRequests } from "./session-requests.ts";
import { SessionRouter } from "./session-router.ts";
import { SessionStarts } from "./session-starts.ts";
import { SingleTenantDetector } from "./single-tenant-detector.ts";
import type { Retirement, UpstreamSessionsOptions } from "./upstream-sessions-options.ts";

export type { Retirement, UpstreamSessionsOptions };

export class UpstreamSessions {
  readonly name: string;
  readonly config: UpstreamConfig;
  /** For error text of the upstream on its way to a caller. */
  readonly mask: SecretMask;
  /** Requests of the gateway itself, on its own session. Rejects with McpError or TransportError. */
  readonly dispatch: Dispatch;
  readonly upstream: Upstream;
  readonly legacyEra: LegacyEra | undefined;
  /** Of the second connection of an upstream: the sessions of the first one. */
  readonly newerEra: (() => UpstreamSessions | undefined) | undefined;
  readonly isLegacyEra: boolean;
  readonly #options: UpstreamSessionsOptions;
  readonly #pool: SessionPool;
  readonly #singleTenant: SingleTenantDetector;
  readonly #starts: SessionStarts;
  readonly #verdicts: VerdictTracker;
  readonly #router: SessionRouter;
  readonly #requests: SessionRequests;
  readonly #maxShared: number;
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
    const limits = fillLimits(config.sessions);
    this.#maxShared = limits.maxShared;
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
      upstream: this.upstream,
      limits,
      keepsOwn: config.start !== "demand",
      onOpen: ({ key }, connection) => this.#opened(connection, key.isOwn === true),
      crowding: this.#singleTenant,
      onRefused: (error) => this.#refused(error),
      onEnd: (session) => this.#ended(session),
    });
    this.#requests = new SessionRequests({
      ...{ kind: config.kind, upstream: this.upstream, judge: this.#verdicts },
      ...{ openings: this.#starts, waiting: this.#pool.waiting },
    });
    const { directory, isKeyOfSuccessor } = options;
    const directoryName = this.isLegacyEra ? `${this.name} legacy` : this.name;
    this.#router = new SessionRouter({
      upstream: this.name,
      directoryName,
      pool: this.#pool,
      directory,
      isKeyOfSuccessor,
    });
    this.dispatch = async (request, exchange) => {
      const session = await this.#own();
      this.enter(session);
      return this.run(session, request, exchange).finally(() => this.leave(session));
    };
  }

  /** Opens the gateway's own session, or waits until it is open. Rejects when this start fails. */
  async start(): Promise<Connection> {
    await this.#singleTenant.recall();
    return (await this.#own()).opened;
  }

  /** It was seen to end when a second connection began: it has one at a time. */
  get isSingleTenant(): boolean {
    return this.#singleTenant.isKnown;
  }

  /** What it is, as far as its configuration, the probe and its connections tell; undefined before the first of them. */
  get verdict(): Verdict | undefined {
    return this.#verdicts.verdict;
  }

  /** Resolves when nothing is being found out about it. Never rejects. */
  get settled(): Promise<void> {
    return this.#verdicts.settled;
  }

  /** The gateway's own, when it is open. */
  get connection(): Connection | undefined {
    return this.#pool.find(ownKey.value)?.connection;
  }

  get sessions(): readonly Session[] {
    return this.#pool.sessions;
  }

  /** Whether requests of this key have a session to go to. */
  has({ value }: SessionKey): boolean {
    return this.#pool.find(value) !== undefined;
  }

  /** How long a request waits for a start, in ms. */
  get startWaitMs(): number {
    return this.#starts.waitMs;
  }

  /** Resolves when the gateway's own session is open. Rejects with McpError when it cannot open, or not in time. */
  async ready(): Promise<void> {
    await this.#starts.wait(await this.#own());
  }

  /** How many wait for a session, a start or their turn. */
  get waitingCount(): number {
    return this.#starts.waiting + this.#pool.waiting.size;
  }

  /**
   * The session for a new request of this caller. A handle that leads nowhere rejects with "session_gone"; where sessions
   * have handles and none is named, a request that `begins` a session gets a new one, any other that of its caller.
   */
  sessionFor(
    callerId: string | undefined,
    { handle, begins = true }: { handle?: string | undefined; begins?: boolean } = {},
  ): Session | Promise<Session | RemoteOwner> {
    requireCallerCredentials(this.config, callerId);
    const { affinity } = this;
    if (affinity === undefined) {
      // Whatever it turns out to be, this is where those without a name go.
      if (callerId === undefined && this.connection) return this.#own();
      return this.#sessionLater(callerId, { handle, begins });
    }
    const isNameless = affinity === "handle" && handle === undefined && !begins;
    const key = toSessionKey(isNameless ? "caller" : affinity, callerId, handle);
    const free = key.isOwn && this.#maxShared > 1 && !this.isSingleTenant ? this.#freeOf(key) : key;
    return this.#router.find(free) ?? this.#router.acquire(free, handle !== undefined && key.handle === handle);
  }

  /** The first of the shared places where nothing has to wait, else the one that is used least. */
  #freeOf(key: SessionKey): SessionKey {
    let least = key;
    let fewest = Number.POSITIVE_INFINITY;
    for (let n = 1; n <= this.#maxShared; n++) {
      const spare = toSpareKey(key, n);
      const session = this.#pool.find(spare.value);
      // While it opens, it is not known yet what its calls will do.
      const isFree = session?.connection ? session.connection.isAsking !== true : !session || session.isIdle;
      if (isFree) return spare;
      if (session === undefined || session.users >= fewest) continue;
      least = spare;
      fewest = session.users;
    }
    return least;
  }

  /** What may share a session; undefined as long as nothing is known of the upstream. */
  get affinity(): Affinity | undefined {
    return affinityIn(this.config, this.#verdicts.isOpen ? undefined : this.verdict);
  }

  /** This upstream's endpoint at another replica; undefined when that is gone. */
  reach(replica: string): Dispatch | undefined | Promise<Dispatch | undefined> {
    const { directory, path } = this.#options;
    return path === undefined ? undefined : directory.reach(replica, path);
  }

  /** Resolves when it is known what may share a session. Rejects with McpError when that takes too long. */
  async affinityKnown(): Promise<Affinity> {
    if (this.affinity === undefined) {
      await this.#starts.wait(await this.#own());
      await this.settled;
    }
    return this.affinity ?? "caller";
  }

  /** The session in which something waits. */
  sessionOf(id: string): Session | undefined {
    return this.#pool.byId(id);
  }

  /** Between `enter` and `leave`. Rejects with McpError for what the upstream says, else with TransportError, or McpError when it cannot begin. */
  run(session: Session, request: ModernRequest, exchange: Exchange, dispatch?: Dispatch): Promise<Result> {
    return this.#requests.run(session, request, exchange, dispatch);
  }

  /** Keeps a session while somebody uses it or something waits in it; `leave` lets it go. */
  enter(session: Session): void {
    session.enter();
  }

  /** New requests of its key get another session; this one ends when nothing is left in it. */
  replace({ key }: Session): void {
    this.#pool.retireAt(key.value);
  }

  leave(session: Session): void {
    session.leave();
    if (session.isIdle) this.#pool.tidy(session);
  }

  /** For an upstream that gets no new requests any more: each session ends when nothing is left in it, or after `graceMs`. */
  async retire({ graceMs, keepsWaiting = false }: Retirement): Promise<void> {
    this.#isRetired = true;
    const legacyRetired = this.legacyEra?.sessions?.retire({ graceMs, keepsWaiting });
    this.#pool.drain();
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

  /** One that serves the gateway and nobody beside it is not what it was taken for. */
  #refused(error: unknown): void {
    const cause = error instanceof Error ? error.cause : undefined;
    if (isMcpError(cause)) this.#verdicts.doubt(`it refused a further client (${cause.code})`, this.connection);
  }

  /** Sessions that do not fit what the upstream is end as soon as nothing runs in them; new requests go elsewhere at once. */
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

  /** The gateway's own session, where that stays open. */
  #keep(): void {
    if (this.config.start !== "demand" && !this.#isRetired && !this.isSingleTenant) this.start().catch(() => {});
  }

  #own(): Session | Promise<Session> {
    return this.#pool.acquire(ownKey);
  }

  #ended(session: Session): void {
    const { key } = session;
    this.#options.onSessionEnd?.(session);
    if (key.isOwn) this.#keep();
    else this.#router.release(key);
  }
}
