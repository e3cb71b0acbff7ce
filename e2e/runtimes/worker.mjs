// The entry module of a Worker: the server is made while the module loads, without I/O, timers or random values.
import { server } from "./server.mjs";

// biome-ignore lint/style/noDefaultExport: a Worker exports its handlers so.
export default { fetch: (request) => server.fetch(request) };
