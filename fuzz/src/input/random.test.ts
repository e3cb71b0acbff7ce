import { expect, it } from "vitest";
import { mutateBytes } from "./mutate-bytes.ts";
import { mutateJson } from "./mutate-json.ts";
import { createRandom } from "./random.ts";
import { createRequestSource } from "./request-source.ts";

function inputsOf(seed: string): unknown[] {
  const random = createRandom(seed);
  const source = createRequestSource(random, { path: "/mcp", host: "x" });
  return [
    ...Array.from({ length: 20 }, () => source.next()),
    ...Array.from({ length: 20 }, () => JSON.stringify(mutateJson({ a: [1, { b: "c" }] }, random, 2))),
    ...Array.from({ length: 20 }, () => mutateBytes(Buffer.from("GET / HTTP/1.1"), random, 2).toString("hex")),
  ];
}

it("the same seed generates the same inputs, and another seed generates others", () => {
  expect(inputsOf("1/sse/3")).toEqual(inputsOf("1/sse/3"));
  expect(inputsOf("1/sse/3")).not.toEqual(inputsOf("1/sse/4"));
});

it("random numbers cover the whole range", () => {
  const random = createRandom("spread");
  const counts = Array.from({ length: 10 }, () => 0);
  for (let count = 0; count < 10_000; count++) counts[random.below(10)] = (counts[random.below(10)] ?? 0) + 1;
  expect(Math.min(...counts)).toBeGreaterThan(500);
});
