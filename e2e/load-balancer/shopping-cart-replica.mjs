// One of several processes that serve the same carts, started by fork. The carts are in their handles, in a file or in Redis.
import { parseArgs } from "node:util";
import { connectRedis, createRedisSessionStateStore } from "@lethe/redis";
import { openFileSessionStateStore, serve } from "@lethe/server/node";
import { createShop } from "../../examples/dist/shopping-cart.js";

const { values } = parseArgs({
  options: { port: { type: "string", default: "0" }, redis: { type: "string" }, file: { type: "string" } },
});

async function openStore() {
  if (values.redis) return createRedisSessionStateStore(await connectRedis({ url: values.redis }));
  return values.file ? openFileSessionStateStore(values.file) : undefined;
}

const sessionStore = await openStore();
const { url } = await serve(createShop(sessionStore && { sessionStore }), { port: Number(values.port) });
console.log(`Listening on ${url}`);
