// A suspension rejects every branch of a handler, also one that is not awaited yet: `const p = ask(); await other(); await p`.
// The runtime reports an unhandled rejection, and Node would end the process, with all its calls.
// This file ignores unhandled suspensions and no other reason.
import { Suspension } from "./suspension.ts";

interface Platform {
  addEventListener?: (type: "unhandledrejection", listener: (event: RejectionEvent) => void) => void;
  process?: { emit?: (this: unknown, event: unknown, ...args: unknown[]) => boolean };
}

interface RejectionEvent {
  readonly reason: unknown;
  preventDefault(): void;
}

/** The second event is for `--unhandled-rejections=strict`. */
const fatalEvents: ReadonlySet<unknown> = new Set(["unhandledRejection", "uncaughtException"]);
let isDone = false;

/** Call it before the first suspension. Further calls have no effect. */
export function ignoreSuspensions(): void {
  if (isDone) return;
  isDone = true;
  const platform = globalThis as Platform;
  platform.addEventListener?.("unhandledrejection", (event) => {
    if (event.reason instanceof Suspension) event.preventDefault();
  });
  const { process } = platform;
  const emit = process?.emit;
  if (!process || !emit) return;
  // No listener: one would change how Node treats all other reasons, and would not hide a suspension from the
  // application's listeners, many of which end the process.
  process.emit = function (event, ...args) {
    if (fatalEvents.has(event) && args[0] instanceof Suspension) return true;
    return emit.call(this, event, ...args);
  };
}
