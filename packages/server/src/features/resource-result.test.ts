import { expect, it } from "vitest";
import { toReadResult } from "./resource-result.ts";

const options = { uri: "a:b", mimeType: undefined, cache: { ttlMs: 5, cacheScope: "public" } } as const;

it("how long a full result of a resource holds is said by its definition, not by its author (E-50)", () => {
  const returned = { contents: [], _meta: { a: 1 }, resultType: "task", ttlMs: 7, cacheScope: "private" };
  expect(toReadResult(returned, options)).toEqual({ ...returned, resultType: "complete", ...options.cache });
});

it("a text is plain and bytes are any, unless the definition says more (E-78)", () => {
  const [uri, text] = ["a:b", "x"];
  expect(toReadResult(text, options).contents).toEqual([{ uri, mimeType: "text/plain", text }]);
  const bytes = new Uint8Array([1]);
  const blob = "AQ==";
  expect(toReadResult(bytes, options).contents).toEqual([{ uri, mimeType: "application/octet-stream", blob }]);
  expect(toReadResult(bytes, { ...options, mimeType: "image/png" }).contents).toEqual([
    { uri, mimeType: "image/png", blob },
  ]);
});
