import { expect, test } from "vitest";
import { affinityIn, handleKey, mintHandle, ownPlace, toPlace } from "./affinity.ts";

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
  expect(toPlace("caller", "ann", undefined)).toEqual({ key: "caller ann", callerId: "ann" });
  expect(toPlace("caller", undefined, undefined)).toEqual({ ...ownPlace, isNobodys: true });
  expect(toPlace("shared", "ann", undefined)).toBe(ownPlace);
});

test("each call has a place that nothing else has", () => {
  const [one, two] = [toPlace("call", "ann", undefined), toPlace("call", "ann", undefined)];
  expect(one).toMatchObject({ callerId: "ann", isSingleUse: true });
  expect(one.key).not.toBe(two.key);
});

test("a handle is unguessable, and another caller's leads elsewhere", () => {
  expect(mintHandle()).toMatch(/^[\w-]{22}$/);
  const begun = toPlace("handle", "ann", undefined);
  expect(toPlace("handle", "ann", begun.handle)).toEqual(begun);
  expect(toPlace("handle", "bob", begun.handle).key).not.toBe(begun.key);
  expect(toPlace("handle", undefined, begun.handle).key).not.toBe(begun.key);
});

test("what names a session in a directory does not give the handle away", () => {
  expect(handleKey("ann", "secret")).not.toContain("secret");
});
