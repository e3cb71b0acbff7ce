// Skills of a server, as clients of both eras list, read and verify them.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Client, ConnectOptions } from "@lethe/client";
import { skills as hostSkills, type Skill, SkillVerificationError } from "@lethe/client/extensions";
import { connect } from "@lethe/client/node";
import { createServer, type Server } from "@lethe/server";
import type { SkillsOptions } from "@lethe/server/extensions";
import { serve } from "@lethe/server/node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

let folder: string;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lethe-skills-")));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** SKILL.md with this text. */
function writeSkill(path: string, text = "Do it.", more = ""): void {
  const name = path.slice(path.lastIndexOf("/") + 1);
  write(`${path}/SKILL.md`, `---\nname: ${name}\ndescription: About ${name}\n${more}---\n${text}\n`);
}

const info = { name: "shop", version: "1.0.0" };

async function open(options: ConnectOptions = {}, given: SkillsOptions = {}, change?: (server: Server) => void) {
  const onProblem = vi.fn();
  const server = createServer(info).skills(folder, { onProblem, ...given });
  change?.(server);
  const serving = await serve(server, { port: 0 });
  closers.push(() => serving.close());
  return { ...(await openAt(serving.url, options)), onProblem, url: serving.url, server };
}

async function openAt(url: string, options: ConnectOptions = {}) {
  const known = hostSkills();
  const client: Client = await connect(url, { extensions: [known], ...options });
  closers.push(() => client.close());
  return { client, api: client.extension(known) };
}

const changed = (file: string) => expect.objectContaining({ kind: "resource", uri: `skill://refunds/${file}` });
const namesOf = (skills: readonly Skill[]) => skills.map(({ uri }) => uri.replace("/SKILL.md", ""));

describe.each([
  ["2026-07-28", {}],
  ["2025-11-25", { era: "legacy" }],
] as const)("skills for a client of %s", (_, era: ConnectOptions) => {
  it("are listed with their frontmatter, and with the size and digest of every file", async () => {
    writeSkill("refunds", "See references/rules.md.", 'license: MIT\nmetadata:\n  version: "2"\n');
    write("refunds/references/rules.md", "No refunds.\n");
    const { client, api } = await open(era);
    expect(client.server.capabilities.extensions).toMatchObject({
      "io.modelcontextprotocol/skills": { directoryRead: true },
    });
    expect(await api.list()).toEqual([
      {
        uri: "skill://refunds/SKILL.md",
        frontmatter: { name: "refunds", description: "About refunds", license: "MIT", metadata: { version: "2" } },
        resources: [
          {
            uri: "skill://refunds/SKILL.md",
            size: expect.any(Number),
            digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
          },
          { uri: "skill://refunds/references/rules.md", size: 12, digest: expect.stringMatching(/^sha256:/) },
        ],
      },
    ]);
    const [listed] = await client.listResources();
    expect(listed).toMatchObject({ uri: "skill://refunds/SKILL.md", name: "refunds", mimeType: "text/markdown" });
  });

  it("are read and verified by path, as text and as bytes", async () => {
    writeSkill("refunds", "Ask first.");
    write("refunds/a b.bin", new Uint8Array([255, 0, 254]));
    const { api } = await open(era);
    const skill = await api.get("skill://refunds/SKILL.md");
    expect(await api.read(skill)).toMatchObject({ body: "Ask first.\n", isVerified: true, mimeType: "text/markdown" });
    const file = await api.read(skill, "a b.bin");
    expect(file).toMatchObject({ uri: "skill://refunds/a%20b.bin", isVerified: true, text: undefined });
    expect([...file.bytes]).toEqual([255, 0, 254]);
  });

  it("are read by directory", async () => {
    writeSkill("refunds");
    write("refunds/references/rules.md", "No refunds.\n");
    const { client, api } = await open(era);
    expect(await api.readDirectory("skill://refunds")).toEqual([
      { uri: "skill://refunds/references", name: "references", mimeType: "inode/directory" },
      { uri: "skill://refunds/SKILL.md", name: "SKILL.md", mimeType: "text/markdown", size: 56 },
    ]);
    for (const uri of ["skill://refunds/SKILL.md", "skill://nowhere", "skill://refunds/.."]) {
      await expect(api.readDirectory(uri)).rejects.toMatchObject({ code: -32602 });
    }
    await expect(client.readResource("skill://refunds/references")).rejects.toThrow("use resources/directory/read");
  });

  it("notify of a change: of the list when a skill is added, of SKILL.md when a file of the skill changes", async () => {
    writeSkill("refunds");
    write("refunds/rules.md", "No refunds.\n");
    const { client, api } = await open(era);
    const changes = vi.fn();
    const subscription = await client.subscribe(
      { resourcesListChanged: true, resourceSubscriptions: ["skill://refunds/SKILL.md", "skill://refunds/rules.md"] },
      changes,
    );
    closers.push(async () => subscription.close());
    const before = await api.get("skill://refunds/SKILL.md");
    write("refunds/rules.md", "All refunds.\n");
    await vi.waitFor(() => expect(changes).toHaveBeenCalledWith(changed("rules.md")), 5_000);
    expect(changes).toHaveBeenCalledWith(changed("SKILL.md"));
    await expect(api.read(before, "rules.md")).rejects.toMatchObject({ reason: "size" });
    expect((await api.read(await api.get(before.uri), "rules.md")).text).toBe("All refunds.\n");
    writeSkill("orders");
    await vi.waitFor(() => expect(changes).toHaveBeenCalledWith(expect.objectContaining({ kind: "resources" })), 5_000);
    expect(namesOf(await api.list())).toEqual(["skill://orders", "skill://refunds"]);
  });
});

describe("skills", () => {
  it("that break a rule are left out and reported with the reason", async () => {
    writeSkill("good");
    writeSkill("wrong");
    write("wrong/SKILL.md", "---\nname: other\ndescription: About it\n---\n");
    write("Upper/SKILL.md", "---\nname: Upper\ndescription: About it\n---\n");
    write("plain/SKILL.md", "# No YAML\n");
    write("empty/SKILL.md", "---\nname: empty\n---\n");
    write("number/SKILL.md", "---\nname: number\ndescription: About it\nmetadata:\n  version: 2\n---\n");
    write("broken/SKILL.md", "---\nname: [\n---\n");
    const { api, onProblem } = await open();
    expect(namesOf(await api.list())).toEqual(["skill://good"]);
    const problems = onProblem.mock.calls.map(([problem]) => problem).join("\n");
    expect(problems).toContain('wrong: SKILL.md: the name of its folder, "wrong", expected as name, got "other"');
    expect(problems).toContain("Upper: frontmatter.name: at most 64 lower-case letters");
    expect(problems).toContain('plain: SKILL.md: YAML between two lines of "---" expected');
    expect(problems).toContain("empty: frontmatter.description: a text of 1 to 1024 characters expected");
    expect(problems).toContain("number: frontmatter.metadata: a mapping to texts expected");
    expect(problems).toContain("broken: SKILL.md: Flow sequence");
  });

  it("with links are left out, and no path leads out of their folder", async () => {
    write("secret.txt", "secret");
    write("skills/good/SKILL.md", "---\nname: good\ndescription: About good\n---\n");
    write("skills/linked/SKILL.md", "---\nname: linked\ndescription: About linked\n---\n");
    symlinkSync("../../secret.txt", join(folder, "skills/linked/secret.txt"));
    symlinkSync("good", join(folder, "skills/alias"));
    const onProblem = vi.fn();
    const serving = await serve(createServer(info).skills(join(folder, "skills"), { onProblem }), { port: 0 });
    closers.push(() => serving.close());
    const { client, api } = await openAt(serving.url);
    const [good] = await api.list();
    expect(namesOf(await api.list())).toEqual(["skill://good"]);
    expect(onProblem).toHaveBeenCalledWith(expect.stringContaining("linked/secret.txt: links and special files"));
    expect(onProblem).toHaveBeenCalledWith(expect.stringContaining("alias: links and special files are not served"));
    const outside = ["../secret.txt", "..%2Fsecret.txt", "%2e%2e/secret.txt", "..%5csecret.txt", "linked/secret.txt"];
    for (const path of outside) {
      await expect(client.readResource(`skill://good/${path}`)).rejects.toMatchObject({ code: -32602 });
      if (good) await expect(api.read(good, path)).rejects.toMatchObject({ reason: "unlisted" });
    }
  });

  it("with more than 512 files or 16 MiB are left out", async () => {
    writeSkill("large");
    write("large/data.bin", new Uint8Array(16 * 1024 * 1024));
    writeSkill("many");
    for (let index = 0; index < 512; index += 1) write(`many/${index}.txt`, "");
    const { api, onProblem } = await open();
    expect(await api.list()).toEqual([]);
    expect(onProblem).toHaveBeenCalledWith(expect.stringContaining("large: files of at most 16777216 bytes together"));
    expect(onProblem).toHaveBeenCalledWith(expect.stringContaining("many: at most 512 files expected"));
  });

  it("are listed page by page under the prefix of the server, nested ones also as files of the outer skill", async () => {
    for (const name of ["a", "b", "c"]) writeSkill(name);
    writeSkill("c/inner");
    const { client, api } = await open({}, { prefix: "acme/team", pageSize: 2 });
    const first = await client.request("skills/list");
    expect((first.skills as Skill[]).length).toBe(2);
    const skills = await api.list();
    expect(namesOf(skills)).toEqual(["a", "b", "c", "c/inner"].map((path) => `skill://acme/team/${path}`));
    expect(skills[2]?.resources).toMatchObject([
      { uri: "skill://acme/team/c/SKILL.md" },
      { uri: "skill://acme/team/c/inner/SKILL.md" },
    ]);
    await expect(client.request("skills/list", { cursor: "x" })).rejects.toMatchObject({ code: -32602 });
  });

  it("that a caller may not see are neither listed, read nor found", async () => {
    writeSkill("refunds");
    write("refunds/rules.md", "No refunds.\n");
    const { client, api } = await open({}, { visible: (caller) => caller !== undefined });
    expect(await api.list()).toEqual([]);
    const hidden = { code: -32602 };
    await expect(api.get("skill://refunds/SKILL.md")).rejects.toMatchObject(hidden);
    await expect(client.readResource("skill://refunds/rules.md")).rejects.toMatchObject(hidden);
    await expect(api.readDirectory("skill://refunds")).rejects.toMatchObject(hidden);
  });

  it("are served as their entries state at the time, also if a change was not noticed", async () => {
    writeSkill("refunds");
    const { api } = await open({}, { watch: false });
    const [before] = await api.list();
    writeSkill("refunds", "Something else.");
    if (before) await expect(api.read(before)).rejects.toThrow(SkillVerificationError);
    expect((await api.read(await api.get("skill://refunds/SKILL.md"))).body).toBe("Something else.\n");
  });

  it("need a folder that exists, and are served once per server", () => {
    const server = createServer(info);
    expect(() => server.skills(join(folder, "none"))).toThrow(/skills: folder ".*none": cannot be read: ENOENT/);
    expect(() => server.skills(folder, { prefix: "../up" })).toThrow("skills: prefix: names with slashes between them");
    server.skills(folder, { watch: false });
    expect(() => server.skills(folder)).toThrow("the server uses it already");
  });
});

it("a client rejects entries and files that a server makes wrongly", async () => {
  const text = "---\nname: a\ndescription: About a\n---\n";
  const digest = `sha256:${Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("hex")}`;
  const uri = "skill://a/SKILL.md";
  const entry = {
    uri,
    frontmatter: { name: "a", description: "About a" },
    resources: [{ uri, digest, size: text.length }],
  };
  let served: object = entry;
  const server = createServer(info).extension("io.modelcontextprotocol/skills");
  server.method("skills/list", () => ({ resultType: "complete", skills: [served] }));
  server.resource(uri, { handler: () => text });
  const serving = await serve(server, { port: 0 });
  closers.push(() => serving.close());
  const { api } = await openAt(serving.url);
  const [skill] = await api.list();
  expect(skill && (await api.read(skill)).isVerified).toBe(true);
  const lying = { ...entry, frontmatter: { ...entry.frontmatter, "allowed-tools": "Bash" } };
  await expect(api.read(lying)).rejects.toMatchObject({
    reason: "frontmatter",
    message: expect.stringContaining("allowed-tools"),
  });
  const other = {
    ...entry,
    resources: [{ uri, digest: digest.replace(/.$/, (last) => (last === "0" ? "1" : "0")), size: text.length }],
  };
  await expect(api.read(other)).rejects.toMatchObject({ reason: "digest" });
  expect((await api.read({ ...entry, resources: "dynamic" })).isVerified).toBe(false);
  const wrong = [
    [{ ...entry, resources: undefined }, 'resources: an array or "dynamic" expected'],
    [{ ...entry, resources: [] }, `resources: an entry for ${uri} expected`],
    [{ ...entry, frontmatter: { name: "b", description: "b" } }, 'the name of its folder, "a", expected'],
    [{ ...entry, resources: [...entry.resources, { uri: "skill://b/x", digest, size: 1 }] }, "a file below skill://a"],
    [{ ...entry, resources: [{ uri, digest, size: 2 ** 30 }] }, "at most 16777216 bytes expected"],
  ] as const;
  for (const [one, message] of wrong) {
    served = one;
    await expect(api.list()).rejects.toThrow(message);
  }
});
