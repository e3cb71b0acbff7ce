import { server } from "./server.mjs";

const onListen = ({ port }) => console.log(`http://127.0.0.1:${port}/`);
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, server.fetch);
