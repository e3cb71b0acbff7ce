import { method } from "@lethe/protocol";
import { createSeal } from "@lethe/server/edge";
import { createKeyRing } from "@lethe/server/stores";
import { expect, test } from "vitest";
import { createFakeExchange, requestOf } from "../testing/fakes.ts";
import { createRequestStateSeal, type RequestState } from "./request-state.ts";

const seal = createRequestStateSeal(createSeal(createKeyRing(), { server: "g", ttlMs: 1_000 }));
const exchange = createFakeExchange("ann");
const read = (uri: string) => requestOf(method.readResource, { uri, name: "the same" });

test("binds the state of resources/read to its URI, even if the request contains a name (E-28)", async () => {
  const token = await seal.seal({ upstream: "up" }, read("a:1"), exchange);
  expect(await seal.open(token, read("a:1"), exchange)).toEqual({
    upstream: "up",
    round: { id: expect.any(String), expiresAt: expect.any(Number) },
  });
  await expect(seal.open(token, read("a:2"), exchange)).rejects.toMatchObject({ code: -32602 });
});

test.each([{}, { upstream: 1 }, { upstream: "up", pending: "here" }])(
  "rejects %j as the state of a call",
  async (content) => {
    const token = await seal.seal(content as unknown as RequestState, read("a:1"), exchange);
    await expect(seal.open(token, read("a:1"), exchange)).rejects.toMatchObject({ code: -32602 });
  },
);
