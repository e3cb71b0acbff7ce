import { expect, test } from "vitest";
import { toWorkerEvent } from "./worker-event.ts";

test.each([
  [{ kind: "started", worker: 1, pid: 7 }, "worker 1 has started"],
  [
    { kind: "failed", worker: 2, reason: "it exited with code 1", restartInMs: 0 },
    "worker 2 has ended: it exited with code 1; another starts now",
  ],
  [
    { kind: "failed", worker: 2, reason: "it was ended by SIGKILL", restartInMs: 500 },
    "worker 2 has ended: it was ended by SIGKILL; another starts in 0.5 s",
  ],
  [{ kind: "stalled", worker: 3, stallMs: 30_000 }, "worker 3 has not answered for 30 s and is killed"],
] as const)("the report %j has a sentence for a log", (happening, message) => {
  expect(toWorkerEvent(happening)).toEqual({ ...happening, message });
});
