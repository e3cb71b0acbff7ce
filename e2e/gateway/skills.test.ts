// Skills through a gateway: the official client and ours, at servers of the official SDK and of Lethe, of both eras, at the merged endpoint and
// at the server's own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client, ConnectOptions } from "@lethe/client";
import { skills as hostSkills, type SkillsApi } from "@lethe/client/extensions";
import { connect } from "@lethe/client/node";
import { createServer } from "@lethe/server";
import { type Serving, serve } from "@lethe/server/node";
import { Client as OfficialClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const folder = mkdtempSync(join(tmpdir(), "lethe-e2e-skills-"));
const official = fileURLToPath(new URL("../servers/official-skills.mjs", import.meta.url));

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Both servers have a skill "refunds", with every kind of YAML value. */
const yaml =
  "license: MIT\nmetadata:\n  version: '1.10'\ndraft: no\nratio: 1.10\ntags: [a, 'b']\nnote: |\n  two\n  lines\n";
for (const server of ["shop", "bank"]) {
  write(
    `${server}/refunds/SKILL.md`,
    `---\nname: refunds\ndescription: "Refunds: ${server}"\n${yaml}---\nAsk ${server}.\n`,
  );
  write(`${server}/refunds/references/a b.md`, `Rules of ${server}.\n`);
  write(`${server}/refunds/data.bin`, new Uint8Array([255, 254, 0]));
}
write("shop/orders/SKILL.md", "---\nname: orders\ndescription: About orders\n---\nOrder.\n");

let running: RunningGateway;
let shop: Serving;

beforeAll(async () => {
  shop = await serve(createServer({ name: "shop", version: "1.0.0" }).skills(join(folder, "shop")), { port: 0 });
  running = await runGateway({
    upstreams: [
      { kind: "http", name: "shop", url: shop.url, headers: {} },
      stdioUpstream("bank", [official, join(folder, "bank")]),
      stdioUpstream("old", [official, join(folder, "bank"), "legacy"], { era: "legacy" }),
    ],
  });
});
afterAll(async () => {
  await running?.close();
  await shop?.close();
  rmSync(folder, { recursive: true });
});

const eras = [
  ["2026-07-28", {}],
  ["2025-11-25", { era: "legacy" }],
] as const;

async function using<T>(
  url: string,
  era: ConnectOptions,
  use: (api: SkillsApi, client: Client) => Promise<T>,
): Promise<T> {
  const known = hostSkills();
  const client: Client = await connect(url, { ...era, extensions: [known] });
  return use(client.extension(known), client).finally(() => client.close());
}

async function usingOfficial<T>(url: string, isLegacy: boolean, use: (skills: SkillsClient) => Promise<T>): Promise<T> {
  const versionNegotiation = { mode: isLegacy ? "legacy" : { pin: "2026-07-28" } } as const;
  const client = new OfficialClient({ name: "official", version: "1" }, { versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return use(new SkillsClient(client)).finally(() => client.close());
}

/** Where the endpoint is, the root of its skill "refunds", and the server of the skill. */
const places = () =>
  [
    [shop.url, "skill://refunds", "shop"],
    [`${running.url}/shop`, "skill://refunds", "shop"],
    [`${running.url}/bank`, "skill://refunds", "bank"],
    [`${running.url}/old`, "skill://refunds", "bank"],
    [running.url, "shop+skill://refunds", "shop"],
    [running.url, "bank+skill://refunds", "bank"],
    [running.url, "old+skill://refunds", "bank"],
  ] as const;

describe.each(eras)("with %s", (_, era: ConnectOptions) => {
  it("our client lists, reads and verifies the skills of every server at every endpoint", async () => {
    for (const [url, root, server] of places()) {
      await using(url, era, async (api) => {
        const skill = (await api.list()).find(({ uri }) => uri === `${root}/SKILL.md`);
        if (!skill) throw new Error(`${root} at ${url} is not listed`);
        const frontmatter = { metadata: { version: "1.10" }, draft: "no", ratio: 1.1, note: "two\nlines\n" };
        expect(skill.frontmatter).toMatchObject({ description: `Refunds: ${server}`, ...frontmatter });
        expect(await api.read(skill)).toMatchObject({ body: `Ask ${server}.\n`, isVerified: true });
        expect((await api.read(skill, "references/a b.md")).text).toBe(`Rules of ${server}.\n`);
        expect([...(await api.read(skill, "data.bin")).bytes]).toEqual([255, 254, 0]);
        expect(await api.get(skill.uri)).toEqual(skill);
        const children = await api.readDirectory(root);
        expect(children.map(({ uri }) => uri).sort()).toEqual(
          [`${root}/SKILL.md`, `${root}/data.bin`, `${root}/references`].sort(),
        );
      });
    }
  });

  it("the official client lists, reads and verifies the skills of every server at every endpoint", async () => {
    for (const [url, root, server] of places()) {
      await usingOfficial(url, "era" in era, async (client) => {
        const skill = (await client.list()).skills.find(({ uri }) => uri === `${root}/SKILL.md`);
        if (!skill) throw new Error(`${root} at ${url} is not listed`);
        expect(await client.read(skill)).toMatchObject({ body: `Ask ${server}.\n`, verified: true });
        expect((await client.read(skill, "references/a b.md")).verified).toBe(true);
        expect((await client.get(skill.uri)).skill).toEqual(skill);
        expect((await client.readDirectory(root)).resources).toHaveLength(3);
      });
    }
  });

  it("a client learns from the merged endpoint that a skill changed", async () => {
    const uri = "shop+skill://orders/SKILL.md";
    await using(running.url, era, async (api, client) => {
      const before = await api.get(uri);
      const onChange = vi.fn();
      const subscription = await client.subscribe({ resourceSubscriptions: [uri] }, onChange);
      write("shop/orders/more.txt", `For ${client.connection.revision}.`);
      await vi.waitFor(() => expect(onChange).toHaveBeenCalledWith(expect.objectContaining({ uri })), 20_000);
      await subscription.close();
      expect((await api.get(uri)).resources).not.toEqual(before.resources);
    });
  });
});

it("a URI that skills of several servers have is rejected, with the URIs that include the server", async () => {
  await using(running.url, {}, async (api) => {
    await expect(api.get("skill://refunds/SKILL.md")).rejects.toThrow("shop+skill://refunds/SKILL.md");
    await expect(api.get("shop+skill://none/SKILL.md")).rejects.toMatchObject({ code: -32602 });
  });
});
