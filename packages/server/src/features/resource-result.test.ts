import { expect, it } from "vitest";
import { toReadResult } from "./resource-result.ts";

const options = { uri: "a:b", mimeType: undefined, cache: { ttlMs: 5, cacheScope: "public" } } as const;

it("takes the cache lifetime of a full resource result from the definition, not from the handler (E-50)", () => {
  const returned = { contents: [], _meta: { a: 1 }, resultType: "task", ttlMs: 7, cacheScope: "private" };
  expect(toReadResult(returned, options)).toEqual({ ...returned, resultType: "complete", ...options.cache });
});

it("gives text the type text/plain and bytes application/octet-stream unless the definition says otherwise (E-78)", () => {
  const [uri, text] = ["a:b", "x"];
  expect(toReadResult(text, options).contents).toEqual([{ uri, mimeType: "text/plain", text }]);
  const bytes = new Uint8Array([1]);
  const blob = "AQ==";
  expect(toReadResult(bytes, options).contents).toEqual([{ uri, mimeType: "application/octet-stream", blob }]);
  expect(toReadResult(bytes, { ...options, mimeType: "image/png" }).contents).toEqual([
    { uri, mimeType: "image/png", blob },
  ]);
});
