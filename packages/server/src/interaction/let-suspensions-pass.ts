// A suspension unwinds every branch of a handler, also one that nobody awaits yet: `const p = ask(); await other(); await p`.
// The platform calls its rejection unhandled, and Node ends the process: one call of one client would end everybody's.
// Here this one reason is let pass, and no other.
import { Suspension } from "./suspension.ts";

interface Platform {
  addEventListener?: (type: "unhandledrejection", listener: (event: RejectionEvent) => void) => void;
  process?: { emit?: (this: unknown, event: unknown, ...args: unknown[]) => boolean };
}

interface RejectionEvent {
  readonly reason: unknown;
  preventDefault(): void;
}

/** The second is for `--unhandled-rejections=strict`. */
const fatalEvents: ReadonlySet<unknown> = new Set(["unhandledRejection", "uncaughtException"]);
let isDone = false;

/** To be called before the first handler of this process is suspended. Works once. */
export function letSuspensionsPass(): void {
  if (isDone) return;
  isDone = true;
  const platform = globalThis as Platform;
  platform.addEventListener?.("unhandledrejection", (event) => {
    if (event.reason instanceof Suspension) event.preventDefault();
  });
  const { process } = platform;
  const emit = process?.emit;
  if (!process || !emit) return;
  // Not a listener: having one changes what Node makes of every other reason, and it would not spare a suspension the
  // listeners of the application, of which many end the process.
  process.emit = function (event, ...args) {
    if (fatalEvents.has(event) && args[0] instanceof Suspension) return true;
    return emit.call(this, event, ...args);
  };
}
