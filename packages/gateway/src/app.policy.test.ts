import { describe, expect, it } from "vitest";
import { operate } from "./testing/operated.ts";
import { ci, keys, ops, toolsOf, useTwoUpstreams } from "./testing/two-upstreams.ts";

const fixture = useTwoUpstreams();
const { documentOf } = fixture;

describe("the access policy", () => {
  const policy = [
    { effect: "allow", scopes: ["admin"] },
    { effect: "allow", callers: ["key ci"], upstreams: ["gh"], tools: ["read"], resources: ["memo:gh"] },
  ];

  it("lists only items that the caller may use, on every path", async () => {
    await using gateway = await operate(documentOf({ auth: { keys }, policy }));
    expect(toolsOf(await gateway.ask("tools/list", {}, { key: ci }))).toEqual(["gh__read"]);
    expect(toolsOf(await gateway.ask("tools/list", {}, { key: ci, path: "/mcp/gh" }))).toEqual(["read"]);
    expect(toolsOf(await gateway.ask("tools/list", {}, { key: ci, path: "/mcp/fs" }))).toEqual([]);
    expect(toolsOf(await gateway.ask("tools/list", {}, { key: ops }))).toHaveLength(6);
    const { body } = await gateway.ask("resources/list", {}, { key: ci });
    expect(body.result.resources).toMatchObject([{ uri: "memo:gh" }]);
    expect(body.result.cacheScope).toBe("private");
  });

  it("hides denied items and names the scope that would allow one (G-4)", async () => {
    await using gateway = await operate(
      documentOf({ auth: { keys }, policy: [{ effect: "deny", tools: ["write"] }, ...policy] }),
    );
    const denied = await gateway.ask("tools/call", { name: "gh__write" }, { key: ops });
    expect([denied.status, denied.body.error.message]).toEqual([200, "unknown tool: gh__write"]);
    const lacking = await gateway.ask("tools/call", { name: "fs__read" }, { key: ci });
    expect(lacking.status).toBe(403);
    expect(lacking.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="admin"');
    const allowed = await gateway.ask("tools/call", { name: "gh__read" }, { key: ci });
    expect(allowed.body.result.content).toEqual([{ type: "text", text: "gh read" }]);
    expect((await gateway.ask("resources/read", { uri: "memo:gh" }, { key: ci })).status).toBe(200);
    expect((await gateway.ask("resources/read", { uri: "memo:fs" }, { key: ci })).status).toBe(403);
  });

  it("routes a shared URI to the only upstream that the caller may read (J-45)", async () => {
    const rules = [{ effect: "allow", callers: ["key ci"], upstreams: ["fs"] }];
    await using gateway = await operate(
      documentOf({ auth: { keys }, policy: [...rules, { effect: "allow", scopes: ["admin"] }] }),
    );
    const read = async (uri: string, key: string) => (await gateway.ask("resources/read", { uri }, { key })).body;
    expect((await read("note:1", ops)).error.data).toEqual({
      uri: "note:1",
      candidates: ["gh+note:1", "fs+note:1"],
    });
    expect((await read("gh+note:1", ops)).result.contents[0].text).toBe("gh note 1");
    expect((await read("note:1", ci)).result.contents[0].text).toBe("fs note 1");
    expect((await read("gh+note:1", ci)).error.message).not.toContain("fs");
    const { body } = await gateway.ask("resources/templates/list", {}, { key: ci });
    expect(body.result.resourceTemplates).toHaveLength(1);
  });

  it("uses separate upstream credentials per caller and refuses callers without them where required", async () => {
    const credentials = { callers: { "key ci": { headers: { authorization: "Bearer of-ci" } } }, callerRequired: true };
    await using gateway = await operate(documentOf({ auth: { keys }, upstreams: { fs: { credentials } } }));
    const before = fixture.upstreams.seen.fs?.length;
    await gateway.ask("tools/call", { name: "fs__read" }, { key: ci });
    expect(fixture.upstreams.seen.fs?.slice(before)).toContain("Bearer of-ci");
    const { body } = await gateway.ask("tools/call", { name: "fs__read" }, { key: ops });
    expect(body.error).toMatchObject({ code: -32603, data: { reason: "unauthorized", upstream: "fs" } });
    expect(fixture.upstreams.seen.fs?.slice(before)).not.toContain(`Bearer ${ci}`);
  });
});
