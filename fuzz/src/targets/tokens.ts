// Tokens that a peer holds: sealed requestState and JWTs. A changed token never opens, and no server accepts it.
import assert from "node:assert/strict";
import { isMcpError } from "@lethe/protocol";
import { type Authenticator, createAuthenticator, isAuthenticationError } from "@lethe/server/auth";
import { createSeal } from "@lethe/server/edge";
import { createKeyRing } from "@lethe/server/stores";
import fc from "fast-check";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import type { Target } from "../run/target.ts";
import { anyText, propertyTarget } from "./property-target.ts";

/** Ways to change a token: replace a character, truncate it, or reorder its parts. */
const change = fc.record({
  at: fc.nat(2_000),
  character: fc.constantFrom(..."AZaz09-_.=+/ \0é"),
  how: fc.constantFrom("replace", "insert", "delete", "truncate", "swap", "append"),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function apply(token: string, { at, character, how }: Change): string {
  const place = at % token.length;
  switch (how) {
    case "replace":
      return token.slice(0, place) + character + token.slice(place + 1);
    case "insert":
      return token.slice(0, place) + character + token.slice(place);
    case "delete":
      return token.slice(0, place) + token.slice(place + 1);
    case "truncate":
      return token.slice(0, place);
    case "swap":
      return token.slice(place) + token.slice(0, place);
    default:
      return token + character;
  }
}

/** Different base64url spellings, such as padding, decode to the same bytes; such tokens are equal. */
function isSameToken(one: string, other: string): boolean {
  const [parts, others] = [one.split("."), other.split(".")];
  if (parts.length !== others.length || parts.slice(0, -1).join() !== others.slice(0, -1).join()) return false;
  const isText = (text: string): boolean => /^[\w-]+=*$/.test(text);
  const [last = "", otherLast = ""] = [parts.at(-1), others.at(-1)];
  return (
    isText(last) && isText(otherLast) && Buffer.from(last, "base64url").equals(Buffer.from(otherLast, "base64url"))
  );
}

const seal = createSeal(createKeyRing([{ id: "k", key: Buffer.alloc(32, 7).toString("base64url") }]), {
  server: "fuzz",
});
const binding = fc.record({
  callerId: fc.option(fc.string(), { nil: undefined }),
  method: fc.constantFrom("tools/call", "prompts/get"),
  target: anyText,
  arguments: fc.string({ maxLength: 10 }),
});

const requestState = propertyTarget({
  name: "request-state",
  inputs: fc.record({
    payload: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4, noNullPrototype: true }),
    binding,
    other: binding,
    changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  }),
  async check({ payload, binding: bound, other, changes }) {
    const token = await seal.seal(payload, bound);
    assert.equal(
      JSON.stringify(await seal.open(token, bound)),
      JSON.stringify(payload),
      "a token opens to its payload",
    );
    const changed = changes.reduce(apply, token);
    if (!isSameToken(changed, token)) await refused(seal.open(changed, bound));
    const isSame = (["callerId", "method", "target", "arguments"] as const).every((key) => bound[key] === other[key]);
    if (!isSame) await refused(seal.open(token, other));
  },
});

async function refused(opening: Promise<unknown>): Promise<void> {
  const error = await opening.then(
    () => assert.fail("the token was accepted"),
    (reason: unknown) => reason,
  );
  assert.ok(isMcpError(error) && error.code === -32602, String(error));
}

interface Issued {
  readonly authenticator: Authenticator;
  readonly token: string;
  forge(header: object, claims: object): Promise<string>;
}

const issuer = "https://login.example";
const resource = "https://fuzz.example/mcp";
let issued: Promise<Issued> | undefined;

async function issue(): Promise<Issued> {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" };
  const claims = { iss: issuer, aud: resource, sub: "alice", exp: Math.floor(Date.now() / 1000) + 86_400 };
  const publicText = new TextEncoder().encode(await exportSPKI(publicKey));
  const other = await generateKeyPair("ES256", { extractable: true });
  const otherJwk = await exportJWK(other.publicKey);
  return {
    authenticator: createAuthenticator({
      resource,
      authorizationServers: [issuer],
      jwt: { issuer, jwks: { keys: [jwk] } },
    }),
    token: await new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "k1" }).sign(privateKey),
    async forge(header, more) {
      const all = { ...claims, ...more };
      const { alg = "ES256", ...rest } = header as { alg?: string };
      if (alg === "none") {
        const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
        return `${encode({ alg, ...rest })}.${encode(all)}.`;
      }
      const protectedHeader = { ...rest, alg, ...("jwk" in rest && { jwk: otherJwk }) };
      const isShared = alg.startsWith("HS");
      return new SignJWT(all).setProtectedHeader(protectedHeader).sign(isShared ? publicText : other.privateKey);
    },
  };
}

const forged = fc.record({
  header: fc.record(
    {
      alg: fc.constantFrom("none", "HS256", "ES256"),
      kid: fc.constantFrom("k1", "../k1", "k2", ""),
      jku: fc.constant("http://127.0.0.1:9/keys"),
      x5u: fc.constant("http://127.0.0.1:9/cert"),
      jwk: fc.constant({}),
      typ: fc.constantFrom("JWT", "at+jwt"),
    },
    { requiredKeys: ["alg"] },
  ),
  claims: fc.record(
    {
      sub: fc.constantFrom("alice", "root"),
      aud: fc.constantFrom(resource, "https://x/"),
      nbf: fc.constant(4e9),
      exp: fc.constantFrom(0, 4e9, "4e9"),
    },
    { requiredKeys: [] },
  ),
});

const jwt = propertyTarget({
  name: "jwt",
  inputs: fc.oneof(fc.array(change, { minLength: 1, maxLength: 3 }), forged, anyText),
  async check(input) {
    issued ??= issue();
    const { authenticator, token, forge } = await issued;
    const tried =
      typeof input === "string"
        ? input
        : Array.isArray(input)
          ? input.reduce(apply, token)
          : await forge(input.header, input.claims);
    // A token ends at the end of the header, and HTTP ignores space around a header.
    if (isSameToken(tried.trim(), token)) return;
    const outcome = await authenticator.authenticate(`Bearer ${tried}`).then(
      () => "accepted",
      (error: unknown) => error,
    );
    assert.ok(
      isAuthenticationError(outcome) && (outcome.status === 401 || outcome.status === 400),
      `not refused: ${outcome}`,
    );
  },
});

export const tokenTargets: readonly Target[] = [requestState, jwt];
