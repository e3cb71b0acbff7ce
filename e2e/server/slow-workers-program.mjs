// Two workers whose program takes longer to load than a worker may stand still. Prints what happens to them.
if (process.env.LETHE_WORKER !== undefined) {
  const end = Date.now() + 3_000;
  while (Date.now() < end);
}
const { startWorkers, workerProcess } = await import("@lethe/server/workers");

const worker = workerProcess();
if (worker) {
  worker.onClose(() => process.exit(0));
  worker.started(0);
} else {
  const onEvent = ({ kind }) => console.log(kind);
  const workers = await startWorkers({ count: 2, stallMs: 1_000, onEvent });
  await workers.close({ graceMs: 1_000, delayMs: 0 });
}
