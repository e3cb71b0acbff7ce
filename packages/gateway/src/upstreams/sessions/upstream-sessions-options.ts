// The options of the sessions of one upstream, and how to retire them.

import type { Directory } from "@lethe/server/stores";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import type { DeclaredExtensions } from "../../extensions/declared-extensions.ts";
import type { ObservedDeclarations } from "../../extensions/observed-declarations.ts";
import type { Tracing } from "../../tracing/tracing.ts";
import type { Transport } from "../connection/open-connection.ts";
import type { SecretMask } from "../connection/secret-mask.ts";
import type { UpstreamOptions } from "../connection/upstream.ts";
import type { RoomExchange } from "../directory/room-exchange.ts";
import type { VerdictTrackerOptions } from "../verdict/verdict-tracker.ts";
import type { LegacyEra } from "./legacy-era.ts";
import type { LostSessions } from "./lost-sessions.ts";
import type { Session, SessionKey } from "./session.ts";
import type { SessionAcquisition } from "./session-router.ts";
import type { SingleTenantDetectorOptions } from "./single-tenant-detector.ts";
import type { UpstreamSessions } from "./upstream-sessions.ts";

export interface UpstreamSessionsOptions
  extends Omit<UpstreamOptions, "name">,
    Pick<VerdictTrackerOptions, "probe" | "probeTimeoutMs" | "probeAgainMs">,
    Pick<SingleTenantDetectorOptions, "facts"> {
  config: UpstreamConfig;
  directory: Directory;
  /** Shared by both eras of an upstream. Default: own ones. */
  declarations?: ObservedDeclarations;
  /** Masks secrets in error text of the upstream for callers. Default: no secrets. */
  mask?: SecretMask;
  /** Remembers the sessions of all upstreams that lost their state. */
  lost: LostSessions;
  /** The room of other replicas. Default: a session opens where its first request arrives. */
  rooms?: RoomExchange | undefined;
  /** The path of this upstream's own endpoint. Default: it has none. */
  path?: string;
  /** The transport, as its connections show it. */
  transport?: () => Transport;
  /** The older era of an upstream that may speak both. Default: none. */
  legacyEra?: LegacyEra | undefined;
  /** For the sessions of the older era: returns the sessions of the newer one. */
  newerEra?: () => UpstreamSessions | undefined;
  /** Records spans of requests. Default: none are recorded. */
  tracing?: Tracing | undefined;
  /** Called when a session has ended, and with it everything that waited in it. */
  onSessionEnd?(session: Session): void;
  /** Whether a key belongs to the sessions of the upstream's new configuration. Default: never. */
  isKeyOfSuccessor?(key: SessionKey): boolean;
}

/** Which session a request needs. */
export interface SessionWish extends SessionAcquisition {
  /** Whether the request may begin a session. Default true. */
  readonly begins?: boolean;
  /** The extensions of its caller. Default: none. */
  readonly declared?: DeclaredExtensions;
}

export interface Retirement {
  /** How long running requests may take to finish, in ms. */
  readonly graceMs: number;
  /** Whether pending calls may still be resumed. Default false. */
  readonly keepsWaiting?: boolean;
}
