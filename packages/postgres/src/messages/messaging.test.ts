import { createMessageCipher } from "@lethe/server/sealing";
import { createKeyRing } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { keys, usePostgres } from "../testing/own-postgres.ts";
import { createMessaging, type MessagingOptions } from "./messaging.ts";

const { connect } = usePostgres();

async function open(self: string, changes: Partial<MessagingOptions> = {}) {
  const postgres = await connect();
  const cipher = await createMessageCipher(createKeyRing(keys), { purpose: "test", maxBytes: 100_000 });
  const messaging = createMessaging({ postgres, cipher, channel: "test", self, patienceMs: 20_000, ...changes });
  const heard: unknown[] = [];
  await messaging.listen((message) => heard.push(message));
  return { postgres, messaging, heard };
}

test("delivers a message to the addressed process only, and resolves when it was received", async () => {
  const [one, two, three] = [await open("one"), await open("two"), await open("three")];
  expect(await one.messaging.send("two", { text: "x".repeat(50_000) })).toBe(true);
  expect(two.heard).toHaveLength(1);
  expect([one.heard, three.heard]).toEqual([[], []]);
});

test("sends a message again when its acknowledgement was lost, and the receiver handles it once", async () => {
  const one = await open("one");
  const other = await connect();
  let losses = 1;
  const publish = vi.fn((channel: string, text: string) =>
    losses-- > 0 ? Promise.resolve() : other.publish(channel, text),
  );
  const two = await open("two", { postgres: { publish, subscribe: other.subscribe } });
  expect(await one.messaging.send("two", { number: 1 })).toBe(true);
  expect(publish).toHaveBeenCalledTimes(2);
  expect(two.heard).toEqual([{ number: 1 }]);
});

test("resolves with false when no process acknowledges the message", async () => {
  const one = await open("one", { patienceMs: 50 });
  expect(await one.messaging.send("nobody", { number: 1 })).toBe(false);
});

test("ignores messages that were not sealed with the keys of the deployment for this process", async () => {
  const [one, two] = [await open("one"), await open("two")];
  const otherKeys = createKeyRing(`k:${Buffer.alloc(32, 1).toString("base64url")}`);
  const foreign = await createMessageCipher(otherKeys, { purpose: "test", maxBytes: 1_000 });
  await one.postgres.publish("test:two", foreign.seal({ from: "one", id: "1", message: {} }, "two"));
  expect(await one.messaging.send("two", { number: 1 })).toBe(true);
  expect(two.heard).toEqual([{ number: 1 }]);
});
