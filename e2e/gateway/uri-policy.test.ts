// A policy about files holds for every spelling of a URI that a file server of Node, Python or Go resolves to the file. Real
// interpreters resolve the generated spellings against real files.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUriRule } from "../../packages/gateway/src/catalog/uri-rule.ts";
import type { PolicyRule } from "../../packages/gateway/src/config/schema/settings.ts";
import { createPolicy } from "../../packages/gateway/src/edge/policy/policy.ts";
import { spellings } from "./testing/uri-spellings.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "lethe-uris-")));
/** Names that URIs write in several ways. */
const denied = [
  ...["secret.txt", "my secret.txt", "privé.txt", "a$b.txt", "100%.txt", "C#.md", "what?.txt", "back\\slash.txt"],
  ...["star*.txt", "plus+plus.txt", "semi;colon.txt", "ﬁne.txt", "%41.txt", "private/key.pem", "private/deep/key.pem"],
];
const allowed = [
  ...["pub/a.txt", "pub/b c.txt", "pub/ü.txt", "pub/C#.md", "pub/x+y.txt", "pub/100%.txt", "pub/v1.2/notes.md"],
  ...["pub/(1)&[2].txt", "pub/%41.txt", "pub/deep/er/x.txt"],
];
const others = ["other.txt", "public.txt"];

const schemes = [`file://${folder}/`, "notes://"];
const below = (...names: string[]) => schemes.flatMap((scheme) => names.map((name) => scheme + name));

/** Every spelling of a pattern has the same effect. */
const denials = below(
  ...[
    "secret*",
    "my secret*",
    "priv%C3%A9*",
    "a$b*",
    "100%25*",
    "C%23*",
    "what%3F.txt",
    "back%5cslash.txt",
    "star%2A.txt",
  ],
  ...["plus%2Bplus*", "semi;colon.txt", "ﬁne.txt", "%2541.txt", "./private//*"],
);
const open: PolicyRule = { effect: "allow" };
const policies: Record<string, { rules: PolicyRule[]; isSecret(path: string): boolean }> = {
  "that denies files": {
    rules: [{ effect: "deny", resources: denials }, open],
    isSecret: (path) => denied.some((name) => path === join(folder, name)),
  },
  "that allows a folder": {
    rules: [{ effect: "allow", resources: below("pub/*") }],
    isSecret: (path) => !path.startsWith(join(folder, "pub/")),
  },
};

const seed = Number(process.env.URI_SEED ?? 20_261_122);
const count = Number(process.env.URI_SPELLINGS ?? 2_500);
const samples = schemes.flatMap((scheme) =>
  fc.sample(spellings(scheme, [...denied, ...allowed, ...others]), { seed, numRuns: count }),
);

const program = (name: string) => fileURLToPath(new URL(`testing/uri-resolvers/${name}`, import.meta.url));
const resolvers = [
  { language: "Node", command: process.execPath, args: [program("resolve.mjs")], version: "--version" },
  { language: "Python", command: "python3", args: [program("resolve.py")], version: "--version" },
  { language: "Go", command: "go", args: ["run", program("resolve.go")], version: "version" },
];

beforeAll(() => {
  for (const name of [...denied, ...allowed, ...others]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

function resolveAll(command: string, args: string[], uris: readonly string[]): string[][] {
  const input = JSON.stringify({ root: folder, uris });
  const done = spawnSync(command, args, { cwd: folder, input, encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`${command} ended with ${done.status}: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

describe.each(resolvers)("a file server in $language", ({ command, args, version, language }) => {
  it("a file server reads no denied file under any spelling of its URI", { timeout: 300_000 }, ({ skip }) => {
    const isMissing = spawnSync(command, [version]).status !== 0;
    skip(isMissing, `${language} is not installed: ${command} ${version} fails`);
    const files = resolveAll(command, args, samples);
    for (const [name, { rules, isSecret }] of Object.entries(policies)) {
      const policy = createPolicy(rules).profileOf({ id: "key ci" });
      const [rule] = rules;
      const exposure = rule?.effect === "deny" ? { deny: rule.resources ?? [] } : { allow: rule?.resources ?? [] };
      const { offers } = createUriRule(exposure);
      const secret = samples.flatMap((uri, index) => (files[index]?.some(isSecret) ? [uri] : []));
      const leaks = secret.filter(
        (uri) =>
          offers(uri) ||
          policy.decide({ method: "resources/read", upstream: "files", kind: "resource", name: uri }) !== "deny",
      );
      expect(leaks, `a policy ${name}`).toEqual([]);
      // Otherwise the spellings would prove nothing.
      expect(new Set(secret).size).toBeGreaterThan(count / 20);
    }
  });
});

describe("plain URIs of allowed files", () => {
  const plain = allowed.flatMap((name) => [
    pathToFileURL(join(folder, name)).href,
    `notes://${encodeURI(name).replaceAll("#", "%23")}`,
    // As Python's `Path.as_uri` and Go's `url.URL` write them.
    `file://${join(folder, name).split("/").map(encodeURIComponent).join("/")}`,
  ]);

  it.each(Object.entries(policies))(
    "a caller can read plain URIs of allowed files under a policy %s",
    (_name, { rules }) => {
      const policy = createPolicy(rules).profileOf({ id: "key ci" });
      const decide = (uri: string) =>
        policy.decide({ method: "resources/read", upstream: "files", kind: "resource", name: uri });
      expect(plain.filter((uri) => decide(uri) !== "allow")).toEqual([]);
    },
  );
});
