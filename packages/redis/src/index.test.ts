import { expect, test } from "vitest";
import * as door from "./index.ts";

test("the door exports what it is meant to, and nothing by accident", () => {
  expect(Object.keys(door).sort()).toMatchInlineSnapshot(`
    [
      "connectRedis",
      "createRedisAnswerExchange",
      "createRedisBus",
      "createRedisDirectory",
      "createRedisEventLog",
      "createRedisRateCounter",
      "createRedisServerOptions",
      "createRedisSessionStore",
      "createRedisSingleUseStore",
      "createRedisStreamRelay",
      "createRedisTaskStore",
      "shareByRedis",
    ]
  `);
});
