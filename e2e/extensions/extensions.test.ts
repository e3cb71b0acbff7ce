// Runs the matrix of docs/extensions.md: each extension as server, client and gateway, in both revisions, with counterparts of others where
// there are any. The document says what passed.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appsOf } from "./testing/apps.ts";
import { clientCredentialsOf, enterpriseManagedOf } from "./testing/authorization.ts";
import { type Extension, revisions, sides } from "./testing/cell.ts";
import { generatedPartOf, toGeneratedPart, withGeneratedPart } from "./testing/document.ts";
import { foreignTokens, statusWith, tokenFor } from "./testing/foreign-tokens.ts";
import { type IdentityProviders, startIdentityProviders } from "./testing/identity-providers.ts";
import { type ProtectedServers, startProtectedServers } from "./testing/protected-servers.ts";
import { startSetting } from "./testing/setting.ts";
import { skillsOf } from "./testing/skills.ts";
import { tasksOf } from "./testing/tasks.ts";

const file = fileURLToPath(new URL("../../docs/extensions.md", import.meta.url));
const names = [...["Tasks", "MCP Apps", "Skills"], ...["OAuth client credentials", "Enterprise-managed authorization"]];
let extensions: readonly Extension[] = [];
let providers: IdentityProviders;
let servers: ProtectedServers;
const closers: (() => Promise<void>)[] = [];
const passed = new Set<string>();

beforeAll(async () => {
  const setting = await startSetting();
  closers.push(setting.close);
  providers = await startIdentityProviders();
  closers.push(providers.close);
  servers = await startProtectedServers(providers);
  closers.push(servers.close);
  extensions = [
    ...[tasksOf(setting), appsOf(setting), skillsOf(setting)],
    ...[clientCredentialsOf(providers, servers), enterpriseManagedOf(providers, servers)],
  ];
}, 120_000);
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

describe.each(names)("%s", (name) => {
  describe.each(revisions)("with %s", (revision) => {
    it.each(sides)("works on the side of the %s", async (side) => {
      await extensions.find((one) => one.name === name)?.cells[side].run(revision);
      passed.add([name, side, revision].join());
    });
  });
});

it("a server and a gateway refuse id tokens, ID-JAGs and tokens for another server", async () => {
  const { server, gateway } = servers;
  for (const [url, other] of [
    [server, gateway],
    [gateway, server],
    [`${gateway}/open`, server],
  ] as const) {
    for (const [kind, token] of Object.entries(await foreignTokens(providers, url, other)))
      expect([url, kind, await statusWith(token, url)]).toEqual([url, kind, 401]);
  }
  for (const url of [server, gateway]) expect(await statusWith(await tokenFor(url, providers), url)).toBe(200);
});

it("docs/extensions.md has the matrix of this run (UPDATE=1 writes it)", () => {
  const part = toGeneratedPart(extensions, ({ name }, side, revision) => passed.has([name, side, revision].join()));
  const document = readFileSync(file, "utf8");
  if (process.env.UPDATE === "1") writeFileSync(file, withGeneratedPart(document, part));
  else expect(generatedPartOf(document)).toBe(part);
});
