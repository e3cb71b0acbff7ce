// A worker follows the orders of its parent, and does not outlive it.
import { expect, test, vi } from "vitest";
import type { ParentLink } from "./parent-link.ts";
import { createLinkedWorkers, type LinkedWorkers } from "./testing/linked-workers.ts";
import { createWorkerProcess, type WorkerProcess } from "./worker-process.ts";

const times = { graceMs: 5_000, delayMs: 100 };

async function startWorker() {
  const workers: LinkedWorkers = createLinkedWorkers();
  const link: ParentLink = await workers.join();
  const exit = vi.fn();
  const worker: WorkerProcess = createWorkerProcess(link, exit);
  const onClose = vi.fn();
  worker.onClose(onClose);
  const stop = (isWhole: boolean) => workers.hub.send(link.number, { kind: "close", ...times, isWhole });
  return { worker, onClose, exit, stop, endParent: () => workers.kill(link) };
}

test("a worker hears from its parent how long it may take to close, and whether all workers close", async () => {
  const { onClose, exit, stop } = await startWorker();
  stop(false);
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  stop(true);
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledTimes(2));
  expect(onClose.mock.calls).toEqual([
    [{ ...times, isWhole: false, isAbandoned: false }],
    [{ ...times, isWhole: true, isAbandoned: false }],
  ]);
  expect(exit).not.toHaveBeenCalled();
});

test("a worker whose parent is gone closes without a delay", async () => {
  const { onClose, exit, endParent } = await startWorker();
  endParent();
  expect(onClose.mock.calls).toEqual([[{ graceMs: 0, delayMs: 0, isWhole: true, isAbandoned: true }]]);
  expect(exit).not.toHaveBeenCalled();
});

test("a worker that closes ends at once when its parent is gone", async () => {
  const { onClose, exit, stop, endParent } = await startWorker();
  stop(true);
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  endParent();
  expect(exit).toHaveBeenCalledOnce();
  expect(onClose).toHaveBeenCalledOnce();
});

test("a question to a parent is rejected when the parent is gone, and so is one that is asked later", async () => {
  const { worker, endParent } = await startWorker();
  const asked = worker.ask("reload");
  endParent();
  await expect(asked).rejects.toThrow("the parent of this worker is gone");
  await expect(worker.ask("reload")).rejects.toThrow("the parent of this worker is gone");
});
