import { expect, test } from "vitest";
import { affinityIn, handleKey, mintHandle, ownKey, toSessionKey } from "./affinity.ts";

test("gives each caller of an upstream with sessions its own, unless the operator configures otherwise", () => {
  expect(affinityIn({}, { sharing: "session" })).toBe("caller");
  expect(affinityIn({}, { sharing: "shared" })).toBe("shared");
  expect(affinityIn({}, { sharing: "single" })).toBe("shared");
  expect(affinityIn({}, undefined)).toBeUndefined();
  expect(affinityIn({ affinity: "handle" }, { sharing: "shared" })).toBe("handle");
});

test("gives each caller its own session if credentials differ per caller, even at a stateless upstream", () => {
  expect(affinityIn({ credentials: { callers: {} } }, { sharing: "shared" })).toBe("caller");
});

test("gives each caller a session key, and anonymous callers the gateway's", () => {
  expect(toSessionKey("caller", "ann", undefined)).toEqual({ value: "caller ann", callerId: "ann" });
  expect(toSessionKey("caller", undefined, undefined)).toEqual({ ...ownKey, isAnonymous: true });
  expect(toSessionKey("shared", "ann", undefined)).toBe(ownKey);
});

test("gives each call a unique session key with affinity call", () => {
  const [one, two] = [toSessionKey("call", "ann", undefined), toSessionKey("call", "ann", undefined)];
  expect(one).toMatchObject({ callerId: "ann", isSingleUse: true });
  expect(one.value).not.toBe(two.value);
});

test("a handle is unguessable and leads another caller to another session", () => {
  expect(mintHandle()).toMatch(/^[\w-]{22}$/);
  const begun = toSessionKey("handle", "ann", undefined);
  expect(toSessionKey("handle", "ann", begun.handle)).toEqual(begun);
  expect(toSessionKey("handle", "bob", begun.handle).value).not.toBe(begun.value);
  expect(toSessionKey("handle", undefined, begun.handle).value).not.toBe(begun.value);
});

test("the directory key of a session does not reveal its handle", () => {
  expect(handleKey("ann", "secret")).not.toContain("secret");
});
