import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { DirectClosedError, NotSentError } from "@lethe/server/forwarding";
import { systemClock } from "@lethe/server/stores";
import { afterEach, expect, test, vi } from "vitest";
import { createManualClock } from "../../../server/src/testing/manual-clock.ts";
import { encodeFrames } from "./frames.ts";
import { Link, type LinkOptions } from "./link.ts";

interface Side {
  readonly link: Link;
  readonly received: unknown[];
  readonly ends: string[];
}

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).toReversed()) end();
});

async function openSockets(): Promise<[near: Socket, far: Socket]> {
  const server = createServer().listen(0, "127.0.0.1");
  ends.push(() => server.close());
  await once(server, "listening");
  const near = connect((server.address() as { port: number }).port, "127.0.0.1");
  const [[far]] = await Promise.all([once(server, "connection"), once(near, "connect")]);
  ends.push(
    () => near.destroy(),
    () => far.destroy(),
  );
  return [near, far];
}

function open(socket: Socket, options: Partial<LinkOptions> = {}): Side {
  const received: unknown[] = [];
  const ends: string[] = [];
  const link = new Link({
    ...{ socket, clock: systemClock, maxBytes: 1_000, silenceMs: 60_000, after: 0 },
    isReplaceable: () => true,
    whenReceived: () => undefined,
    onMessage: (number, message) => void received.push([number, message]),
    onClosed: (reason) => void ends.push(reason),
    ...options,
  });
  return { link, received, ends };
}

async function openPair(near: Partial<LinkOptions> = {}, far: Partial<LinkOptions> = {}) {
  const [nearSocket, farSocket] = await openSockets();
  return { near: open(nearSocket, near), far: open(farSocket, far), nearSocket, farSocket };
}

const started = encodeFrames([{ number: 0, text: '{"after":0}' }], 0);

test("messages arrive in order, and each send resolves once its message was handled", async () => {
  const { near, far } = await openPair();
  const sent = [1, 2, 5].map((number) => near.link.send(number, `{"n":${number}}`));
  expect(await Promise.all([...sent, far.link.send(9, "{}")])).toEqual([1, 1, 1, 1]);
  expect(far.received).toEqual([1, 2, 5].map((n) => [n, { n }]));
  expect(near.received).toEqual([[9, {}]]);
});

test("messages of one turn of the event loop are written at once", async () => {
  const { near, far, nearSocket } = await openPair();
  const write = vi.spyOn(nearSocket, "write");
  await Promise.all([1, 2, 3].map((number) => near.link.send(number, "{}")));
  expect(far.received).toHaveLength(3);
  expect(write).toHaveBeenCalledTimes(1);
});

test("a message that was not acknowledged when the connection breaks is neither delivered nor undelivered", async () => {
  let far: Socket | undefined;
  const { near, farSocket } = await openPair({}, { onMessage: () => far?.destroy() });
  far = farSocket;
  await expect(near.link.send(1, "{}")).rejects.toThrow(DirectClosedError);
  expect(near.link.isOpen).toBe(false);
  await expect(near.link.send(2, "{}")).rejects.toThrow(DirectClosedError);
});

test("messages wait for those that were sent through Redis before", async () => {
  let arrive: () => void = () => {};
  const waitedFor: number[] = [];
  const whenReceived: LinkOptions["whenReceived"] = (number, callback) => {
    waitedFor.push(number);
    arrive = callback;
    return () => {};
  };
  const clock = createManualClock();
  const { near, far } = await openPair({ after: 7 }, { whenReceived, clock });
  const sent = near.link.send(8, "{}");
  await vi.waitFor(() => expect(waitedFor).toEqual([7]));
  expect(far.received).toEqual([]);
  arrive();
  expect(far.received).toEqual([[8, {}]]);
  await clock.advance(20);
  await sent;
});

test("messages do not wait for ever for one that Redis has lost", async () => {
  const clock = createManualClock();
  let hasAsked = false;
  const whenReceived = () => {
    hasAsked = true;
    return () => {};
  };
  const { near, far } = await openPair({ after: 7 }, { whenReceived, clock });
  const sent = near.link.send(8, "{}");
  await vi.waitFor(() => expect(hasAsked).toBe(true));
  await clock.advance(999);
  expect(far.received).toEqual([]);
  await clock.advance(1);
  expect(far.received).toEqual([[8, {}]]);
  await clock.advance(20);
  await sent;
});

test("a connection whose other side acknowledges nothing ends, and an idle one does not", async () => {
  const clock = createManualClock();
  const [socket, silent] = await openSockets();
  silent.resume().write(started);
  const { link, ends } = open(socket, { clock, silenceMs: 400 });
  await clock.advance(10_000);
  expect(link.isOpen).toBe(true);
  const sent = link.send(1, "{}").catch((error: unknown) => error);
  await clock.advance(300);
  expect(link.isOpen).toBe(true);
  await clock.advance(300);
  expect(await sent).toBeInstanceOf(DirectClosedError);
  expect(ends).toEqual(["it acknowledged nothing for 400 ms"]);
});

test("a connection whose other side acknowledges parts of a large message stays open", async () => {
  const clock = createManualClock();
  const [socket, slow] = await openSockets();
  slow.resume().write(started);
  const { link, ends } = open(socket, { clock, silenceMs: 400, maxBytes: 1_000_000 });
  const sent = link.send(1, `{"x":"${"x".repeat(900_000)}"}`).catch(() => {});
  for (let step = 0; step < 20; step += 1) {
    const isRead = once(socket, "data");
    slow.write(encodeFrames([{ number: 0, text: "" }], 0));
    await isRead;
    await clock.advance(100);
  }
  expect(ends).toEqual([]);
  link.end("test");
  await sent;
});

/** Sends one message after the other, up to `rounds`. The other side acknowledges each after so many looks, and is not silent before. */
async function openLate(looks: number, rounds: number, { bytes = 0, isReplaceable = true } = {}) {
  const clock = createManualClock();
  const [socket, late] = await openSockets();
  late.resume().write(started);
  const options = { clock, silenceMs: 2_000, maxBytes: 16 * 1_024 * 1_024, isReplaceable: () => isReplaceable };
  const { link, ends } = open(socket, options);
  const acknowledge = async (handled: number) => {
    const isRead = once(socket, "data");
    late.write(encodeFrames([{ number: 0, text: "" }], handled));
    await isRead;
  };
  for (let number = 1; number <= rounds && link.isOpen; number += 1) {
    const sent = link.send(number, `{"x":"${"x".repeat(bytes)}"}`).catch(() => {});
    for (let look = 0; look < looks && link.isOpen; look += 1) {
      await clock.advance(500);
      if (link.isOpen) await acknowledge(number - 1);
    }
    if (link.isOpen) await acknowledge(number);
    await sent;
  }
  return { link, ends };
}

test("a connection whose other side acknowledges one message after the other late ends", async () => {
  const { link, ends } = await openLate(4, 20);
  expect(link.isOpen).toBe(false);
  expect(ends).toEqual(["it acknowledges messages more than 1000 ms late"]);
});

test("a connection whose other side is late for a single small message ends", async () => {
  expect((await openLate(30, 1)).ends).toEqual(["it acknowledges messages more than 1000 ms late"]);
});

test.each([
  ["acknowledges in time", 1, 40, {}],
  ["is late once", 4, 1, {}],
  ["acknowledges a large message as late as its size explains", 30, 1, { bytes: 8_000_000 }],
  ["is always late while Redis is away", 4, 20, { isReplaceable: false }],
])("a connection whose other side %s stays open", async (_, looks, rounds, more) => {
  const { link, ends } = await openLate(looks, rounds, more);
  expect(ends).toEqual([]);
  link.end("test");
});

test("a connection whose other side is late now and then, and in time between, stays open", async () => {
  const clock = createManualClock();
  const [socket, other] = await openSockets();
  other.resume().write(started);
  const { link, ends } = open(socket, { clock, silenceMs: 2_000 });
  for (let number = 1; number <= 20; number += 1) {
    const sent = link.send(number, "{}");
    await clock.advance(number % 2 === 0 ? 2_000 : 100);
    other.write(encodeFrames([{ number: 0, text: "" }], number));
    await sent;
  }
  expect(ends).toEqual([]);
  link.end("test");
});

test("a part of a message is acknowledged before the rest arrives, and a whole message once", async () => {
  const clock = createManualClock();
  const [socket, far] = await openSockets();
  const { received } = open(socket, { clock });
  const replies: Buffer[] = [];
  far.on("data", (bytes: Buffer) => replies.push(bytes));
  const frame = encodeFrames([{ number: 1, text: '{"n":1}' }], 0);
  const isRead = once(socket, "data");
  far.write(Buffer.concat([started, frame.subarray(0, 20)]));
  await isRead;
  await clock.advance(20);
  const nothing = encodeFrames([{ number: 0, text: "" }], 0);
  await vi.waitFor(() => expect(Buffer.concat(replies)).toEqual(Buffer.concat([started, nothing])));
  far.write(frame.subarray(20));
  await vi.waitFor(() => expect(received).toEqual([[1, { n: 1 }]]));
  await clock.advance(10_000);
  const handled = encodeFrames([{ number: 0, text: "" }], 1);
  await vi.waitFor(() => expect(Buffer.concat(replies)).toEqual(Buffer.concat([started, nothing, handled])));
});

test("a message that was not written when the connection ends is known to be undelivered", async () => {
  const { near, far } = await openPair();
  await near.link.send(1, "{}");
  const sent = near.link.send(2, "{}");
  near.link.end("test");
  await expect(sent).rejects.toThrow(NotSentError);
  await vi.waitFor(() => expect(far.ends).not.toEqual([]));
  expect(far.received).toEqual([[1, {}]]);
});

test("the end of a call passes while too many bytes are unacknowledged", async () => {
  const { near, far } = await openPair({}, {});
  const large = [1, 2, 3, 4, 5].map((n) => near.link.send(n, `{"x":"${"x".repeat(980)}"}`));
  expect(near.link.isFull).toBe(true);
  await near.link.send(6, '{"kind":"abort","call":1}');
  await Promise.all(large);
  expect(far.received).toHaveLength(6);
});

test.each([
  ["a frame that is too large", encodeFrames([{ number: 1, text: "x".repeat(1_001) }], 0), "at most 1000 bytes"],
  ["a text that is not JSON", encodeFrames([{ number: 1, text: "{" }], 0), "JSON"],
  ["a message that is no object", encodeFrames([{ number: 1, text: "[]" }], 0), "a JSON object expected"],
])("%s ends the connection", async (_, bytes, reason) => {
  const [socket, far] = await openSockets();
  const { received, ends } = open(socket);
  far.resume().write(Buffer.concat([started, bytes]));
  await once(far, "end");
  await vi.waitFor(() => expect(ends).toEqual([expect.stringContaining(reason)]));
  expect(received).toEqual([]);
});

test("a connection begins with the number of the last message through Redis", async () => {
  const [socket, far] = await openSockets();
  const { ends } = open(socket);
  far.resume().write(encodeFrames([{ number: 1, text: "{}" }], 0));
  await vi.waitFor(() => expect(ends).toEqual([expect.stringContaining("a number expected as `after`")]));
});

test("a message that is too large is refused, and so are others while too many bytes are unacknowledged", async () => {
  const [socket] = await openSockets();
  const { link } = open(socket);
  await expect(link.send(1, `"${"x".repeat(999)}"`)).rejects.toThrow(RangeError);
  const unacknowledged = [1, 2, 3, 4, 5].map((n) => link.send(n, `"${"x".repeat(998)}"`).catch(() => "closed"));
  expect(link.isFull).toBe(true);
  await expect(link.send(6, `"${"x".repeat(500)}"`)).rejects.toThrow("too slow");
  link.end("test");
  expect(await Promise.all(unacknowledged)).toEqual(Array(5).fill("closed"));
});

test("an orderly end sends what is queued first", async () => {
  const { near, far } = await openPair();
  void near.link.send(1, "{}").catch(() => {});
  await near.link.close();
  await vi.waitFor(() => expect(far.ends).toEqual(["the other replica closed it"]));
  expect(far.received).toEqual([[1, {}]]);
  expect(near.ends).toEqual(["this replica stops"]);
});
