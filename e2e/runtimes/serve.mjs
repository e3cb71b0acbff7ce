import { serve } from "@lethe/server/node";
import { server } from "./server.mjs";

const { url } = await serve(server, { port: 0, path: "/" });
console.log(url);
