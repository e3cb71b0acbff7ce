// What a parent reports about its workers.

type Happening =
  | { readonly kind: "started"; readonly worker: number; readonly pid: number }
  /** It ended, or could not start, and another one starts in its place after `restartInMs`. */
  | { readonly kind: "failed"; readonly worker: number; readonly reason: string; readonly restartInMs: number }
  /** It does not answer, and is killed. */
  | { readonly kind: "stalled"; readonly worker: number; readonly stallMs: number };

/** What happens to a worker. `message` says it in a sentence for a log. */
export type WorkerEvent = Happening & { readonly message: string };

export function toWorkerEvent(happening: Happening): WorkerEvent {
  return { ...happening, message: `worker ${happening.worker} ${whatOf(happening)}` };
}

function whatOf(happening: Happening): string {
  switch (happening.kind) {
    case "started":
      return "has started";
    case "failed": {
      const { reason, restartInMs } = happening;
      return `has ended: ${reason}; another starts ${restartInMs === 0 ? "now" : `in ${restartInMs / 1_000} s`}`;
    }
    case "stalled":
      return `has not answered for ${happening.stallMs / 1_000} s and is killed`;
  }
}
