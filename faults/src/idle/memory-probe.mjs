// Loaded into a gateway with --import: answers on LETHE_PROBE_PORT with its memory after a garbage collection, and with the delay
// of its event loop since the last request.
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";

const port = Number(process.env.LETHE_PROBE_PORT);
const delays = monitorEventLoopDelay({ resolution: 10 });
delays.enable();

const answers = {
  "/memory": () => {
    globalThis.gc?.();
    globalThis.gc?.();
    // The collection is no delay of the gateway. It counts when the event loop runs again.
    setTimeout(() => delays.reset(), 100);
    return process.memoryUsage();
  },
  "/delays": () => {
    const toMs = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - 10);
    const seen = { p99: toMs(delays.percentile(99)), max: toMs(delays.max) };
    delays.reset();
    return seen;
  },
};

const server = createServer((request, response) => {
  const answer = answers[request.url];
  if (!answer) return response.writeHead(404).end();
  response.end(JSON.stringify(answer()));
});
// A gateway starts no process with this module, but a worker of it would find the port in use.
server.on("error", () => {});
server.listen(port, "127.0.0.1").unref();
