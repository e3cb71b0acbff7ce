import type { Result } from "@lethe/protocol";
import { expect, test } from "vitest";
import { listKinds } from "./list-kinds.ts";
import { readList } from "./read-list.ts";

function read(items: unknown[]): Promise<unknown> {
  const send = async (): Promise<Result> => ({ resultType: "complete", tools: items });
  return readList({ serverName: "s", send, invalidate: () => {} }, listKinds.tools).next();
}

test.each([null, 1, "t", []])("a list with the entry %j is rejected as an invalid answer", async (entry) => {
  await expect(read([entry])).rejects.toMatchObject({
    name: "TransportError",
    reason: "invalid",
    message: expect.stringContaining('tools/list to s: expected each of "tools" to be an object'),
  });
});

test("a list of objects is returned", async () => {
  expect(await read([{ name: "t" }])).toMatchObject({ value: { name: "t" } });
});
