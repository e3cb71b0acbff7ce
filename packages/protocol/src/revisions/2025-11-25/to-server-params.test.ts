// Conversion of request params for older servers (D-51).
import fc from "fast-check";
import { expect, it } from "vitest";
import type { RequestParams } from "../../meta/envelope.ts";
import { metaKey } from "../../meta/keys.ts";
import { toServerParams } from "./request.ts";

const envelope = { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} };
const params = (rest: object, meta: object = {}) => ({ ...rest, _meta: { ...envelope, ...meta } }) as RequestParams;

it("toServerParams drops the envelope and the input responses", () => {
  const meta = { [metaKey.clientInfo]: {}, [metaKey.logLevel]: "info", progressToken: 7 };
  const more = { inputResponses: {}, requestState: "s", name: "t" };
  expect(toServerParams("tools/call", params(more, meta))).toEqual({ name: "t" });
});

it("toServerParams drops a leftover task member (F-2)", () => {
  expect(toServerParams("tools/call", params({ name: "t", task: { ttl: 60_000 } }))).toEqual({ name: "t" });
});

it("toServerParams returns undefined if no params are left", () => {
  expect(toServerParams("tools/call", params({}))).toBeUndefined();
});

it("toServerParams keeps trace context and the caller's own keys, and replaces the progress token (A-32, J-55)", () => {
  const own = { traceparent: "00-1", "com.example/x": [1] };
  expect(toServerParams("tools/call", params({}, own))).toEqual({ _meta: own });
  expect(toServerParams("tools/call", params({}, { ...own, progressToken: "theirs" }), 0)).toEqual({
    _meta: { ...own, progressToken: 0 },
  });
});

it("toServerParams forwards all other params unchanged and does not change the request", () => {
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
