// What several processes of Lethe share, in Redis or Valkey.
export { connectRedis, type RedisConnection, type RedisOptions } from "./connection/redis-connection.ts";
export { shareByRedis } from "./share-by-redis.ts";
