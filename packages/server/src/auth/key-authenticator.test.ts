// Static API keys.
import { expect, test } from "vitest";
import { createKeyAuthenticator } from "./key-authenticator.ts";

const alice = { id: "alice", key: "alices-key-0123456789", scopes: ["read"] };
const bob = { id: "bob", key: "bobs-key-0123456789abc" };

test("each key is its own caller, with its own scopes", async () => {
  const authenticator = createKeyAuthenticator([alice, bob]);
  expect(await authenticator.authenticate(`Bearer ${alice.key}`)).toEqual({ id: "key alice", scopes: ["read"] });
  expect(await authenticator.authenticate(`Bearer ${bob.key}`)).toEqual({ id: "key bob", scopes: [] });
});

test.each(["alices-key-012345678", "alices-key-0123456789x", "key", alice.id])("%s is no key", async (key) => {
  const authenticating = createKeyAuthenticator([alice, bob]).authenticate(`Bearer ${key}`);
  await expect(authenticating).rejects.toMatchObject({
    status: 401,
    wwwAuthenticate: expect.stringContaining("invalid_token"),
  });
});

test("there is no metadata to discover: keys come from no authorization server", async () => {
  const authenticator = createKeyAuthenticator([alice]);
  expect([authenticator.metadata, authenticator.metadataPaths]).toEqual([undefined, []]);
  await expect(authenticator.authenticate(undefined)).rejects.toMatchObject({ status: 401, wwwAuthenticate: "Bearer" });
});

test("keys that are short, unsendable or ambiguous are refused when the server is made, without showing them", () => {
  const refused = [
    [{ id: "a", key: "short" }],
    [{ id: "a", key: "sixteen characters" }],
    [alice, { ...bob, id: "alice" }],
    [alice, { ...alice, id: "bob" }],
  ];
  for (const keys of refused) {
    expect(() => createKeyAuthenticator(keys)).toThrow(TypeError);
    expect(() => createKeyAuthenticator(keys)).not.toThrow(/short"|sixteen c|alices-key/);
  }
});
