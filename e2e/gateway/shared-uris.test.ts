// Two servers with the same URIs and tools behind one endpoint: each request reaches its server, for every client.
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const file = fileURLToPath(new URL("../servers/plain-lists.mjs", import.meta.url));
const page = "ui://bank/pay.html";
const upstreamOf = (name: string, lists: object) => stdioUpstream(name, [file, JSON.stringify({ name, ...lists })]);
const resources = [page, "doc:/shared"];
const templates = ["doc:/made/{id}"];
const lists: Readonly<Record<string, object>> = {
  evil: { tools: [{ name: "noop" }], resources: [...resources, "doc:/linked"], templates },
  bank: {
    tools: [{ name: "pay", _meta: { ui: { resourceUri: page }, "ui/resourceUri": page } }],
    resources: [...resources, "doc:/own"],
    templates,
  },
};
let running: RunningGateway;

beforeAll(async () => {
  running = await runGateway({ upstreams: Object.entries(lists).map(([name, own]) => upstreamOf(name, own)) });
});
afterAll(() => running?.close());

const textOf = (result: { contents: readonly object[] }) => (result.contents[0] as { text?: string }).text;

describe.each(Object.keys(lists))("the endpoint of %s, which shares URIs with another server,", (name) => {
  it("has the tools, resources and pages that its server has itself, under the URIs of the server", async () => {
    const command = { command: process.execPath, args: [file, JSON.stringify({ name, ...lists[name] })] };
    const direct = await connect(command);
    const client = await connect(`${running.url}/${name}`);
    const namesOf = async (one: Client) => ({
      tools: (await one.listTools()).map((tool) => [tool.name, tool._meta]),
      resources: (await one.listResources()).map(({ uri }) => uri),
      templates: (await one.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate),
    });
    expect(await namesOf(client)).toEqual(await namesOf(direct));
    const read = await client.readResource(page);
    expect([textOf(read), read.contents[0]?.uri]).toEqual([`served by ${name}`, page]);
    expect(read.contents).toEqual((await direct.readResource(page)).contents);
    await Promise.all([client.close(), direct.close()]);
  });
});

describe("the shared endpoint of two servers", () => {
  it("the shared endpoint of two servers reads a tool's user interface from the server of the tool", async () => {
    const client = await running.connect();
    const pay = (await client.listTools()).find(({ name }) => name === "bank__pay");
    const resourceUri = "ui://bank+bank/pay.html";
    expect(pay?._meta).toMatchObject({ ui: { resourceUri }, "ui/resourceUri": resourceUri });
    const read = await client.readResource(resourceUri);
    expect([textOf(read), read.contents[0]?.uri]).toEqual(["served by bank", resourceUri]);
    await expect(client.readResource(page)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("ui://evil+bank/pay.html or ui://bank+bank/pay.html"),
    });
    await client.close();
  });

  it("the shared endpoint of two servers adds the server to URIs that both list and to all templates, and keeps unique URIs", async () => {
    const client = await running.connect();
    const resources = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      ...["ui://evil+bank/pay.html", "evil+doc:/shared", "doc:/linked"],
      ...["ui://bank+bank/pay.html", "bank+doc:/shared", "doc:/own"],
    ]);
    const templates = await client.listResourceTemplates();
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(["evil+doc:/made/{id}", "bank+doc:/made/{id}"]);
    for (const [uri, name] of [
      ["evil+doc:/shared", "evil"],
      ["bank+doc:/shared", "bank"],
      ["doc:/own", "bank"],
      ["bank+doc:/made/1", "bank"],
      ["bank+doc:/linked", "bank"],
    ] as const) {
      const read = await client.readResource(uri);
      expect([textOf(read), read.contents[0]?.uri]).toEqual([`served by ${name}`, uri]);
    }
    await expect(client.readResource("doc:/shared")).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it("the shared endpoint of two servers routes links, embedded resources and prompts back to their server", async () => {
    const client = await running.connect();
    for (const [uri, shown] of [
      ["doc:/shared", "bank+doc:/shared"],
      ["doc:/linked", "bank+doc:/linked"],
      ["doc:/own", "doc:/own"],
      [page, "ui://bank+bank/pay.html"],
    ] as const) {
      const called = await client.callTool("bank__pay", { uri });
      expect(called.content).toMatchObject([{}, { uri: shown }, { resource: { uri: shown } }]);
      const { messages } = await client.getPrompt("bank__show", { uri });
      expect(messages[0]?.content).toMatchObject({ resource: { uri: shown } });
      expect(textOf(await client.readResource(shown))).toBe("served by bank");
    }
    await client.close();
  });

  it("the shared endpoint of two servers sends updates under the subscribed URI", async () => {
    const client = await running.connect();
    const heard: string[] = [];
    let done: () => void = () => {};
    const complete = new Promise<void>((resolve) => {
      done = resolve;
    });
    const resourceSubscriptions = ["bank+doc:/shared", "evil+doc:/shared", "doc:/own"];
    const subscription = await client.subscribe({ resourceSubscriptions }, (change) => {
      if (change.kind === "resource") heard.push(change.uri);
      if (new Set(heard).size === 3) done();
    });
    await complete;
    expect(new Set(heard)).toEqual(new Set(resourceSubscriptions));
    await subscription.close();
    await client.close();
  });

  it("the shared endpoint of two servers completes a template on the server in its URI", async () => {
    const client = await running.connect();
    const ref = { type: "ref/resource", uri: "bank+doc:/made/{id}" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "id", value: "" } });
    expect(completion.values).toEqual(["bank doc:/made/{id}"]);
    await client.close();
  });
});
