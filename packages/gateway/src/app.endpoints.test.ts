// Named endpoints: some upstreams merged at a path of their own, with a tool filter and a policy.
import { tasksExtension } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { operate, startUpstreams } from "./testing/operated.ts";
import { ci, keys, ops, toolsOf, useTwoUpstreams } from "./testing/two-upstreams.ts";

const fixture = useTwoUpstreams();
const { documentOf } = fixture;
const sales = { path: "/mcp/sales" };

describe("a named endpoint", () => {
  it("lists and calls the tools of its upstreams only, under the names of the merged endpoint", async () => {
    await using gateway = await operate(documentOf({ endpoints: { sales: { upstreams: ["gh"] } } }));
    expect(toolsOf(await gateway.ask("tools/list", {}, sales))).toEqual(["gh__read", "gh__write", "gh__hold"]);
    const { body } = await gateway.ask("tools/call", { name: "gh__read" }, sales);
    expect(body.result.content).toEqual([{ type: "text", text: "gh read" }]);
    const other = await gateway.ask("tools/call", { name: "fs__read" }, sales);
    expect(other.body.error.message).toBe("unknown tool: fs__read");
    const { body: read } = await gateway.ask("resources/read", { uri: "memo:fs" }, sales);
    expect(read.error.message).toBe("resource not found");
    expect(toolsOf(await gateway.ask("tools/list"))).toHaveLength(6);
  });

  it("offers the tools that both its filter and the upstream's allow", async () => {
    await using gateway = await operate(
      documentOf({
        endpoints: { sales: { upstreams: ["gh", "fs"], tools: { deny: ["hold"] } } },
        upstreams: { fs: { tools: { allow: ["read", "hold"], rename: { read: "look" } } } },
      }),
    );
    expect(toolsOf(await gateway.ask("tools/list", {}, sales))).toEqual(["gh__read", "gh__write", "fs__look"]);
    const { body } = await gateway.ask("tools/call", { name: "gh__hold" }, sales);
    expect(body.error.message).toBe("unknown tool: gh__hold");
  });

  it("allows what its own policy and the policy of the gateway both allow", async () => {
    const policy = [{ effect: "allow", callers: ["key ci"], tools: ["*"] }];
    const endpoints = { sales: { upstreams: ["gh"], policy }, open: { upstreams: ["fs"] } };
    const all = [{ effect: "deny", tools: ["write"] }, { effect: "allow" }];
    await using gateway = await operate(documentOf({ auth: { keys }, endpoints, policy: all }));
    expect(toolsOf(await gateway.ask("tools/list", {}, { ...sales, key: ci }))).toEqual(["gh__read", "gh__hold"]);
    expect(toolsOf(await gateway.ask("tools/list", {}, { ...sales, key: ops }))).toEqual([]);
    const denied = await gateway.ask("tools/call", { name: "gh__read" }, { ...sales, key: ops });
    expect(denied.body.error.message).toBe("unknown tool: gh__read");
    expect(toolsOf(await gateway.ask("tools/list", {}, { path: "/mcp/open", key: ops }))).toHaveLength(2);
    expect((await gateway.ask("tools/list", {}, sales)).status).toBe(401);
  });

  it("has a server card of its own", async () => {
    await using gateway = await operate(documentOf({ endpoints: { sales: { upstreams: ["gh"] } } }));
    const card = (await (await gateway.get("/mcp/sales/server-card")).json()) as { name: string; remotes: object[] };
    expect(card).toMatchObject({
      name: "local/gateway.sales",
      remotes: [{ url: expect.stringMatching("/mcp/sales$") }],
    });
    expect((await gateway.get("/mcp/other/server-card")).status).toBe(404);
  });
});

describe("the list of endpoints of the administration", () => {
  it("names the merged and the named ones with their URL, upstreams, tool filter, policy and offer", async () => {
    const policy = [{ effect: "allow", callers: ["key ci"] }];
    const endpoints = { sales: { upstreams: ["gh"], tools: { deny: ["hold"] }, policy } };
    const publicUrl = "https://mcp.example.com/mcp";
    await using gateway = await operate(documentOf({ auth: { keys }, endpoints, publicUrl }));
    await gateway.served.gateway.settled;
    const read = async () => (await gateway.get("/admin/v1/endpoints")).json();
    expect((await read()).endpoints).toMatchObject([
      { path: "/mcp", url: publicUrl, upstreams: ["gh", "fs"], tools: 6 },
      {
        ...sales,
        name: "sales",
        url: `${publicUrl}/sales`,
        upstreams: ["gh"],
        tools: 2,
        toolFilter: { deny: ["hold"] },
        policy,
      },
    ]);
    gateway.write(documentOf({ auth: { keys }, endpoints: {} }));
    await gateway.served.reload();
    expect((await read()).endpoints).toHaveLength(1);
  });
});

describe("a reload of named endpoints", () => {
  it("adds, changes and removes endpoints while a call at one of them runs", async () => {
    const own = await startUpstreams("a", "b");
    const mcpServers = { a: { url: own.urls.a }, b: { url: own.urls.b } };
    const withEndpoints = (endpoints: object) => ({ mcpServers, gateway: { endpoints } });
    await using gateway = await operate(withEndpoints({ sales: { upstreams: ["a"] } }));
    const running = gateway.ask("tools/call", { name: "a__hold" }, sales);
    await expect.poll(() => own.holding).toBe(1);
    gateway.write(withEndpoints({ sales: { upstreams: ["b"] }, more: { upstreams: ["a", "b"] } }));
    expect(await gateway.served.reload()).toEqual({ isApplied: true, problems: [] });
    expect(toolsOf(await gateway.ask("tools/list", {}, sales))).toEqual(["b__read", "b__write", "b__hold"]);
    expect(toolsOf(await gateway.ask("tools/list", {}, { path: "/mcp/more" }))).toHaveLength(6);
    own.letGo();
    expect((await running).body.result.content).toEqual([{ type: "text", text: "a held" }]);
    gateway.write({ mcpServers });
    await gateway.served.reload();
    expect((await gateway.get("/mcp/sales")).status).toBe(404);
    await own[Symbol.asyncDispose]();
  });

  it("refuses an endpoint with the name of a server and keeps the previous ones", async () => {
    await using gateway = await operate(documentOf({ endpoints: { sales: { upstreams: ["gh"] } } }));
    gateway.write(documentOf({ endpoints: { gh: { upstreams: ["fs"] } } }));
    expect((await gateway.served.reload()).problems).toEqual([expect.stringContaining("has the name of a server")]);
    expect(toolsOf(await gateway.ask("tools/list", {}, sales))).toHaveLength(3);
  });
});

describe("tasks of a named endpoint", () => {
  const capabilities = { extensions: { [tasksExtension]: {} } };

  it("are known at endpoints that include their upstream and tool, and at no others", async () => {
    const own = await startUpstreams("a", "b");
    const mcpServers = { a: { url: own.urls.a }, b: { url: own.urls.b } };
    const endpoints = {
      sales: { upstreams: ["a"] },
      same: { upstreams: ["a", "b"] },
      other: { upstreams: ["b"] },
      narrow: { upstreams: ["a"], tools: { deny: ["hold"] } },
      closed: { upstreams: ["a"], policy: [{ effect: "deny" }] },
    };
    const upstreams = { a: { tasks: "auto" } };
    await using gateway = await operate({ mcpServers, gateway: { endpoints, upstreams, tasks: { afterMs: 0 } } });
    const { body } = await gateway.ask("tools/call", { name: "a__hold" }, { ...sales, capabilities });
    const { taskId } = body.result;
    const statusAt = async (name: string) => {
      const answer = await gateway.ask("tasks/get", { taskId }, { path: `/mcp/${name}`, capabilities });
      return answer.body.result?.status ?? answer.body.error.message;
    };
    expect(await statusAt("same")).toBe("working");
    // Without an upstream that has tasks, the endpoint has no such methods.
    expect(await statusAt("other")).toBe("method not found: tasks/get");
    expect(await statusAt("narrow")).toBe("unknown task");
    expect(await statusAt("closed")).toBe("unknown task");
    own.letGo();
    await expect.poll(() => statusAt("sales")).toBe("completed");
    await own[Symbol.asyncDispose]();
  });
});
