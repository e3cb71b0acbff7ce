// Static API keys.
import { expect, test } from "vitest";
import { createKeyAuthenticator } from "./key-authenticator.ts";

const alice = { id: "alice", key: "alices-key-0123456789", scopes: ["read"] };
const bob = { id: "bob", key: "bobs-key-0123456789abc" };

test("maps each key to its own caller and scopes", async () => {
  const authenticator = createKeyAuthenticator([alice, bob]);
  expect(await authenticator.authenticate(`Bearer ${alice.key}`)).toEqual({ id: "key alice", scopes: ["read"] });
  expect(await authenticator.authenticate(`Bearer ${bob.key}`)).toEqual({ id: "key bob", scopes: [] });
});

test.each(["alices-key-012345678", "alices-key-0123456789x", `${alice.key}${alice.key}`, "key", alice.id])(
  "rejects %s as a key",
  async (key) => {
    const authenticating = createKeyAuthenticator([alice, bob]).authenticate(`Bearer ${key}`);
    await expect(authenticating).rejects.toMatchObject({
      status: 401,
      wwwAuthenticate: expect.stringContaining("invalid_token"),
    });
  },
);

test("serves no resource metadata, because keys come from no authorization server", async () => {
  const authenticator = createKeyAuthenticator([alice]);
  expect([authenticator.metadata, authenticator.metadataPaths]).toEqual([undefined, []]);
  await expect(authenticator.authenticate(undefined)).rejects.toMatchObject({ status: 401, wwwAuthenticate: "Bearer" });
});

test("rejects short, unsendable or ambiguous keys at creation, without showing them", () => {
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
