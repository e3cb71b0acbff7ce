// What happens while a server is developed, for the terminal.
import type { Problem } from "../bundle/problem.ts";
import type { ListKind } from "../channel/runner-messages.ts";
import type { CallReport } from "../front/call-report.ts";

export type DevEvent =
  /** The first code is served. */
  | ({ readonly kind: "ready"; readonly url: string | undefined; readonly consoleUrl: string | undefined } & Loaded)
  /** Later code is served. */
  | ({ readonly kind: "reloaded"; readonly changed: readonly ListKind[] } & Loaded)
  /** Code that cannot run. `isServing`: the code before it still answers. */
  | { readonly kind: "broken"; readonly problems: readonly Problem[]; readonly isServing: boolean }
  /** The code is again as it was before it broke, and was served all the time. */
  | { readonly kind: "recovered" }
  /** The code has been loading for a while. */
  | { readonly kind: "slow"; readonly afterMs: number }
  | { readonly kind: "call"; readonly call: CallReport }
  | { readonly kind: "output"; readonly text: string; readonly stream: "stdout" | "stderr" }
  /** An error of a handler. Its caller got `errorId`. */
  | {
      readonly kind: "handlerError";
      readonly problem: Problem;
      readonly errorId: string;
      readonly method: string;
      readonly name: string | undefined;
    }
  | { readonly kind: "crashed"; readonly how: string; readonly isRestarting: boolean }
  /** An option of the process that listens has changed. */
  | { readonly kind: "restartNeeded"; readonly what: string }
  /** Requests still ran on replaced code when it was ended. */
  | { readonly kind: "cutOff"; readonly reason: string }
  | { readonly kind: "watchFailed"; readonly message: string };

export interface Loaded {
  readonly durationMs: number;
  readonly name: string;
  readonly counts: Readonly<Record<ListKind, number>>;
}
