import { server } from "./server.mjs";

const { url } = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: server.fetch });
console.log(url.href);
