// What of a modern request goes out to a legacy server, and what stays (D-51).
import fc from "fast-check";
import { expect, it } from "vitest";
import type { RequestParams } from "../../meta/envelope.ts";
import { metaKey } from "../../meta/keys.ts";
import { toServerParams } from "./request.ts";

const envelope = { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} };
const params = (rest: object, meta: object = {}) => ({ ...rest, _meta: { ...envelope, ...meta } }) as RequestParams;

it("the envelope and the answers to questions stay", () => {
  const meta = { [metaKey.clientInfo]: {}, [metaKey.logLevel]: "info", progressToken: 7 };
  const more = { inputResponses: {}, requestState: "s", name: "t" };
  expect(toServerParams("tools/call", params(more, meta))).toEqual({ name: "t" });
});

it("a leftover task of 2025-11-25 means nothing to a modern server, and so nothing behind a gateway (F-2)", () => {
  expect(toServerParams("tools/call", params({ name: "t", task: { ttl: 60_000 } }))).toEqual({ name: "t" });
});

it("nothing left is no params at all", () => {
  expect(toServerParams("tools/call", params({}))).toBeUndefined();
});

it("trace context and a caller's own keys go out, beside a progress token of ours (A-32, J-55)", () => {
  const own = { traceparent: "00-1", "com.example/x": [1] };
  expect(toServerParams("tools/call", params({}, own))).toEqual({ _meta: own });
  expect(toServerParams("tools/call", params({}, { ...own, progressToken: "theirs" }), 0)).toEqual({
    _meta: { ...own, progressToken: 0 },
  });
});

it("whatever else a request holds goes out as it is, and the request itself is not changed", () => {
  const rest = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(rest, rest, (members, own) => {
      const { _meta: _, inputResponses: __, requestState: ___, task: ____, ...expected } = members;
      const request = params(members, own);
      const before = structuredClone(request);
      const { _meta, ...sent } = toServerParams("tools/call", request) ?? {};
      expect(sent).toEqual(expected);
      const { progressToken: _____, ...kept } = own;
      for (const key of Object.values(metaKey)) delete kept[key];
      expect(_meta ?? {}).toEqual(kept);
      expect(request).toEqual(before);
    }),
    { examples: [[{}, JSON.parse('{"__proto__": {"a": 1}}')]] },
  );
});
