// Skills at an endpoint: one list of all servers, URIs that lead back, and no skill that a caller may not read.
import { type JsonObject, McpError, type ModernRequest, type Result } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { mergeCatalogs } from "../../catalog/merge-catalogs.ts";
import { partOf } from "../../testing/catalogs.ts";
import { createFakeExchange, requestOf } from "../../testing/fakes.ts";
import { createSkillDispatch } from "./skill-methods.ts";

const extensions = { "io.modelcontextprotocol/skills": { directoryRead: true } };
const templates = [{ uriTemplate: "skill://{+path}", name: "skills" }];
const entry = (name: string) => ({
  uri: `skill://${name}/SKILL.md`,
  frontmatter: { name, description: name },
  resources: [{ uri: `skill://${name}/SKILL.md`, digest: "sha256:0", size: 1 }],
});
const page = (names: readonly string[], more: JsonObject = {}): Result => {
  return { resultType: "complete", skills: names.map(entry), ttlMs: 5_000, cacheScope: "public", ...more };
};

type Answer = (request: ModernRequest, params: JsonObject) => Result;

function setUp(answers: Record<string, Answer>, mayRead = (_upstream: string, _uri: string) => true, isMerged = true) {
  const parts = Object.keys(answers).map((upstream) => partOf(upstream, { templates }));
  const offered = Object.keys(answers).map((upstream) => ({ upstream, offered: { extensions } }));
  const catalog = { ...mergeCatalogs(parts, { isMerged }), offerings: offered };
  const forward = vi.fn(async (upstream: string, params: JsonObject, request: ModernRequest): Promise<Result> => {
    const answer = answers[upstream];
    if (!answer) throw new Error(`unknown upstream ${upstream}`);
    return answer(request, params);
  });
  const dispatch = createSkillDispatch({
    catalog: () => catalog,
    forward,
    mayRead: (_caller, upstream, uri) => mayRead(upstream, uri),
    unready: () => undefined,
  });
  const send = async (method: string, params: JsonObject = {}) =>
    dispatch(requestOf(method, params), createFakeExchange());
  return { send, forward };
}

const urisOf = ({ skills }: Result) => (skills as { uri: string }[]).map(({ uri }) => uri);

describe("skills of several servers", () => {
  it("are in one list under URIs that include the server, also those of their files", async () => {
    const { send } = setUp({ a: () => page(["x"]), b: () => page(["x"], { ttlMs: 1_000, cacheScope: "private" }) });
    const list = await send("skills/list");
    expect(list).toMatchObject({ resultType: "complete", ttlMs: 1_000, cacheScope: "private" });
    expect(urisOf(list)).toEqual(["a+skill://x/SKILL.md", "b+skill://x/SKILL.md"]);
    expect(list.skills).toMatchObject([{ resources: [{ uri: "a+skill://x/SKILL.md", size: 1 }] }, {}]);
  });

  it("are paginated by the pages of all servers", async () => {
    const pages: Answer = (_request, { cursor }) =>
      cursor === undefined ? page(["x"], { nextCursor: "2" }) : page(["y"]);
    const { send, forward } = setUp({ a: pages, b: () => page(["z"]) });
    const first = await send("skills/list");
    const second = await send("skills/list", { cursor: first.nextCursor });
    expect(urisOf(second)).toEqual(["a+skill://y/SKILL.md"]);
    expect(second.nextCursor).toBeUndefined();
    expect(forward).toHaveBeenCalledTimes(3);
    for (const cursor of ["x", btoa('{"a":1}'), btoa("[[1]]")]) {
      await expect(send("skills/list", { cursor })).rejects.toMatchObject({ code: -32602 });
    }
  });

  it("are listed without those of a server that fails, which is named, unless all fail", async () => {
    const fail: Answer = () => {
      throw new McpError(-32603, "down");
    };
    const list = await setUp({ a: fail, b: () => page(["x"]) }).send("skills/list");
    expect(urisOf(list)).toEqual(["b+skill://x/SKILL.md"]);
    expect(JSON.stringify(list._meta)).toContain('["a"]');
    expect(list).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    await expect(setUp({ a: fail, b: fail }).send("skills/list")).rejects.toMatchObject({ message: "down" });
  });

  it("that a caller may not read are neither listed nor found", async () => {
    const both = { a: () => page(["x", "secret"]), b: () => page(["x"]) };
    const { send, forward } = setUp(both, (_upstream, uri) => !uri.includes("secret"));
    expect(urisOf(await send("skills/list"))).toEqual(["a+skill://x/SKILL.md", "b+skill://x/SKILL.md"]);
    forward.mockClear();
    for (const method of ["skills/get", "resources/directory/read"]) {
      await expect(send(method, { uri: "a+skill://secret/SKILL.md" })).rejects.toMatchObject({ code: -32602 });
    }
    expect(forward).not.toHaveBeenCalled();
  });

  it("are found at their server by the URI of the list", async () => {
    const get: Answer = (_request, { uri }) => ({ resultType: "complete", skill: { ...entry("x"), asked: uri } });
    const { send } = setUp({ a: get, b: get });
    const { skill } = await send("skills/get", { uri: "b+skill://x/SKILL.md" });
    expect(skill).toMatchObject({ uri: "b+skill://x/SKILL.md", asked: "skill://x/SKILL.md" });
    await expect(send("skills/get", { uri: "skill://x/SKILL.md" })).rejects.toThrow("b+skill://x/SKILL.md");
  });
});

it("skills of the only server of an endpoint keep their URIs", async () => {
  const { send } = setUp({ a: () => page(["x"]) }, undefined, false);
  expect(urisOf(await send("skills/list"))).toEqual(["skill://x/SKILL.md"]);
});

it("a server that declares no skills is not asked for them", async () => {
  const catalog = { ...mergeCatalogs([partOf("a", {})]), offerings: [{ upstream: "a", offered: {} }] };
  const forward = vi.fn();
  const dispatch = createSkillDispatch({
    catalog: () => catalog,
    forward,
    mayRead: () => true,
    unready: () => undefined,
  });
  expect(() => dispatch(requestOf("skills/list"), createFakeExchange())).toThrow(
    expect.objectContaining({ code: -32601 }),
  );
  expect(forward).not.toHaveBeenCalled();
});
