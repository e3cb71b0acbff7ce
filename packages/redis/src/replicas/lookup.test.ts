// How long requests wait for a Redis that does not answer.
import { expect, test } from "vitest";
import { createManualClock } from "../../../server/src/testing/manual-clock.ts";
import { Lookup } from "./lookup.ts";

function start() {
  const clock = createManualClock();
  const lookup = new Lookup(clock, 700);
  const sent: { resolve(reply: string): void; reject(error: Error): void }[] = [];
  const send = () => new Promise<string>((resolve, reject) => void sent.push({ resolve, reject }));
  const outcomeOf = (reply: Promise<string>) => reply.catch((error: Error) => error.message);
  return { clock, sent, ask: () => outcomeOf(lookup.ask(send)) };
}

test("a request waits for a limited time, and the next ones not at all until Redis answers", async () => {
  const { clock, sent, ask } = start();
  const first = ask();
  await clock.advance(700);
  expect(await first).toBe("no reply within 700 ms");
  expect(await ask()).toBe("an earlier command has no reply yet");
  expect(sent).toHaveLength(1);
  sent[0]?.resolve("late");
  await clock.advance(0);
  const next = ask();
  sent[1]?.resolve("in time");
  expect(await next).toBe("in time");
});

test("a command that fails late lets the next one through, since the connection may be new", async () => {
  const { clock, sent, ask } = start();
  const first = ask();
  await clock.advance(700);
  await first;
  sent[0]?.reject(new Error("closed"));
  await clock.advance(0);
  const next = ask();
  sent[1]?.reject(new Error("closed again"));
  expect(await next).toBe("closed again");
});
