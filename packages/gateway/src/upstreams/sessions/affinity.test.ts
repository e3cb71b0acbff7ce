import { expect, test } from "vitest";
import { affinityIn, handleKey, mintHandle, ownKey, toSessionKey } from "./affinity.ts";

test("an upstream with sessions gives each caller one, unless its operator says otherwise", () => {
  expect(affinityIn({}, { sharing: "session" })).toBe("caller");
  expect(affinityIn({}, { sharing: "shared" })).toBe("shared");
  expect(affinityIn({}, { sharing: "single" })).toBe("shared");
  expect(affinityIn({}, undefined)).toBeUndefined();
  expect(affinityIn({ affinity: "handle" }, { sharing: "shared" })).toBe("handle");
});

test("what acts for one caller is not for another, whatever the upstream keeps", () => {
  expect(affinityIn({ credentials: { callers: {} } }, { sharing: "shared" })).toBe("caller");
});

test("each caller has a place, and those without a name have the gateway's own", () => {
  expect(toSessionKey("caller", "ann", undefined)).toEqual({ value: "caller ann", callerId: "ann" });
  expect(toSessionKey("caller", undefined, undefined)).toEqual({ ...ownKey, isAnonymous: true });
  expect(toSessionKey("shared", "ann", undefined)).toBe(ownKey);
});

test("each call has a place that nothing else has", () => {
  const [one, two] = [toSessionKey("call", "ann", undefined), toSessionKey("call", "ann", undefined)];
  expect(one).toMatchObject({ callerId: "ann", isSingleUse: true });
  expect(one.value).not.toBe(two.value);
});

test("a handle is unguessable, and another caller's leads elsewhere", () => {
  expect(mintHandle()).toMatch(/^[\w-]{22}$/);
  const begun = toSessionKey("handle", "ann", undefined);
  expect(toSessionKey("handle", "ann", begun.handle)).toEqual(begun);
  expect(toSessionKey("handle", "bob", begun.handle).value).not.toBe(begun.value);
  expect(toSessionKey("handle", undefined, begun.handle).value).not.toBe(begun.value);
});

test("what names a session in a directory does not give the handle away", () => {
  expect(handleKey("ann", "secret")).not.toContain("secret");
});
