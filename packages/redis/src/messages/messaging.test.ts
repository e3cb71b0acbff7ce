// What messaging tells a direct connection about messages through Redis, and how repeatable messages survive the end of a connection.
import type { JsonObject } from "@lethe/protocol";
import { DirectClosedError, sendRepeatable } from "@lethe/server/forwarding";
import { createMessageCipher } from "@lethe/server/sealing";
import { createKeyRing } from "@lethe/server/stores";
import { expect, test } from "vitest";
import type { RedisLink } from "../connection/redis-link.ts";
import type { DirectReceiver } from "./direct-carrier.ts";
import { createMessaging } from "./messaging.ts";

const cipherOptions = { purpose: "test", maxBytes: 10_000 };

test.each([
  ["has no receiver", () => Promise.resolve(0)],
  ["fails", () => Promise.reject(new Error("Redis is away"))],
])("a direct connection does not wait for a message through Redis that %s", async (_, publish) => {
  let receiver: DirectReceiver | undefined;
  let outcome: () => Promise<number> = () => Promise.resolve(1);
  const connection = { isUp: true, subscribe: async () => async () => {}, publish: () => outcome() };
  const messaging = createMessaging({
    connection: connection as unknown as RedisLink,
    cipher: await createMessageCipher(createKeyRing(`k1:${"A".repeat(43)}`), cipherOptions),
    ...{ channel: "c", self: "one" },
    direct: {
      start(own) {
        receiver = own;
      },
      ...{ stateOf: () => undefined, send: async () => 1 },
    },
  });
  await messaging.listen(() => {});
  await messaging.send("two", { n: 1 });
  expect(receiver?.lastSent("two")).toBe(1);
  outcome = publish;
  await messaging.send("two", { n: 2 }).catch(() => {});
  expect(receiver?.lastSent("two")).toBe(1);
});

test("a repeatable message goes through Redis when its direct connection was closed, and is sent once where it arrives", async () => {
  const sent: JsonObject[] = [];
  let isClosed = true;
  const send = async (_: string, message: JsonObject) => {
    sent.push(message);
    if (isClosed) {
      isClosed = false;
      throw new DirectClosedError("test");
    }
    return 1;
  };
  sendRepeatable({ send }, "two", { call: 1 });
  await expect.poll(() => sent).toEqual([{ call: 1 }, { call: 1 }]);
  sendRepeatable({ send }, "two", { call: 2 });
  await expect.poll(() => sent).toHaveLength(3);
});
