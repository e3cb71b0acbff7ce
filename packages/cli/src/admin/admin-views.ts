// The parts of the admin API that the commands show. A gateway of another version may add members.

export interface RecentView {
  readonly requests: number;
  readonly errors: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface UnansweredView {
  readonly replica: string;
  readonly reason: string;
}

export interface OverviewView {
  readonly name: string;
  readonly version: string;
  readonly replica: string;
  /** Replicas whose figures are missing. Absent from gateways that answer for one replica. */
  readonly unanswered?: readonly UnansweredView[];
  readonly state: string;
  readonly upSeconds: number;
  readonly listening: { readonly url: string };
  readonly sessions: number;
  readonly pendingCalls: number;
  readonly tasks: number;
  readonly total: { readonly requests: number; readonly errors: number };
  readonly recent: RecentView;
  readonly memory: { readonly heldBytes: number; readonly hardBytes: number };
}

export interface UpstreamRowView {
  readonly name: string;
  readonly state: string;
  /** Where replicas differ, the worst state first. */
  readonly states?: readonly { readonly state: string; readonly replicas: readonly string[] }[];
  readonly era?: string;
  readonly verdict?: { readonly word: string; readonly transport: string };
  readonly kind: string;
  readonly sessions: number;
  readonly waiting: number;
  readonly pending: number;
  readonly tools: number;
  readonly recent: RecentView;
}

export interface HealthView {
  readonly isReady: boolean;
  readonly readiness: string;
  readonly replicas: readonly {
    readonly id: string;
    readonly isSelf: boolean;
    readonly state: string;
    readonly sessions: number;
  }[];
  readonly unanswered: readonly UnansweredView[];
  readonly problems: readonly { readonly source: string; readonly upstream?: string; readonly text: string }[];
}

export interface ExchangeRowView {
  readonly id: string;
  readonly time: string;
  readonly replica: string;
  readonly method: string;
  readonly name?: string;
  readonly upstream?: string;
  readonly caller?: string;
  readonly ms: number;
  readonly outcome: string;
  readonly reason?: string;
  readonly detail?: string;
}

export interface LogRowView {
  readonly time: string;
  readonly level: string;
  readonly event: string;
  readonly message: string;
}
