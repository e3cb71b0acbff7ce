// The link of a feature to the server that answers for it, if that is not the server that lists it.
import type { Dispatch, JsonObject } from "@lethe/protocol";

export interface Forward {
  readonly dispatch: Dispatch;
  /** The mount, for error messages: its prefix. */
  readonly mount: string;
  /** The name or URI of the feature at that server. */
  readonly ownName: string;
  /** Arguments that replace those of the caller. An undefined one is left out. */
  readonly fixed?: JsonObject | undefined;
  /** Whether that server completes arguments. */
  readonly completes: boolean;
  /** Whether that server may answer a call with a task. */
  readonly hasTasks: boolean;
  /** Whether it publishes updates of its resources through this server already. */
  readonly isLocal: boolean;
}
