import { expect, test } from "vitest";
import * as door from "./index.ts";

test("the entry point exports the names of the public API and no others", () => {
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
