import { expect, it } from "vitest";
import { usedBytes } from "../../../protocol/src/testing/held-bytes.ts";
import { createOneByteStream } from "../../../protocol/src/testing/one-byte-stream.ts";
import { createFetchSend } from "./fetch-send.ts";

function send(body: ReadableStream<Uint8Array>) {
  const fetch = createFetchSend(async () => new Response(body));
  return fetch({ url: new URL("http://s.example"), method: "POST", headers: {}, body: "", signal: undefined });
}

it("a body in chunks of one byte occupies at most four times its size", async () => {
  const length = 1_000_000;
  const { stream, allTaken, close } = createOneByteStream(length);
  const before = await usedBytes();
  const text = (await send(stream)).text(length);
  await allTaken;
  expect((await usedBytes()) - before).toBeLessThan(4 * length);
  close();
  expect((await text).length).toBe(length);
});

it("a response larger than the limit is rejected and its body cancelled", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (stream) => stream.enqueue(new Uint8Array(4)),
    cancel() {
      isCancelled = true;
    },
  });
  await expect((await send(body)).text(10)).rejects.toMatchObject({ reason: "too_large" });
  expect(isCancelled).toBe(true);
});
