// What the sessions of one upstream are made of, and how they end.

import type { Directory } from "@lethe/server/stores";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import type { Transport } from "../connection/open-connection.ts";
import type { SecretMask } from "../connection/secret-mask.ts";
import type { UpstreamOptions } from "../connection/upstream.ts";
import type { VerdictTrackerOptions } from "../verdict/verdict-tracker.ts";
import type { LegacyEra } from "./legacy-era.ts";
import type { Session, SessionKey } from "./session.ts";
import type { SingleTenantDetectorOptions } from "./single-tenant-detector.ts";
import type { UpstreamSessions } from "./upstream-sessions.ts";

export interface UpstreamSessionsOptions
  extends Omit<UpstreamOptions, "name">,
    Pick<VerdictTrackerOptions, "probe" | "probeTimeoutMs" | "probeAgainMs">,
    Pick<SingleTenantDetectorOptions, "facts"> {
  config: UpstreamConfig;
  directory: Directory;
  /** Hides secrets in error text of the upstream from callers. Default: there are none. */
  mask?: SecretMask;
  /** Of the endpoint of this upstream alone. Default: it has none. */
  path?: string;
  /** As far as its connections show. */
  transport?: () => Transport;
  /** The second connection of an upstream that may speak both eras. Default: there is none. */
  legacyEra?: LegacyEra | undefined;
  /** Of that second connection: the sessions of the newer era. */
  newerEra?: () => UpstreamSessions | undefined;
  /** The session is gone, and whatever waited in it. */
  onSessionEnd?(session: Session): void;
  /** Where the upstream is configured anew, a place may be of its successor's. Default: it never is. */
  isKeyOfSuccessor?(key: SessionKey): boolean;
}

export interface Retirement {
  /** How long what runs is let finish, in ms. */
  readonly graceMs: number;
  /** And what waits for its caller, which may still be gone on with. Default false. */
  readonly keepsWaiting?: boolean;
}
