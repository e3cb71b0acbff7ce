// Serves an API of Fastify as tools, from the documents that @fastify/swagger writes for its routes.
import swagger from "@fastify/swagger";
import { type Client, connect } from "@lethe/client";
import { openapi } from "@lethe/openapi";
import { readSpec } from "@lethe/openapi/node";
import { createServer } from "@lethe/server";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, describe, expect, test } from "vitest";

const item = {
  ...{ $id: "Item", type: "object", required: ["id", "name"] },
  properties: { id: { type: "integer" }, name: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
};
const stored = [
  { id: 1, name: "tea", tags: ["hot", "green"] },
  { id: 2, name: "cola", tags: ["cold"] },
];

const running: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const part of running.splice(0).reverse()) await part.close();
});

async function startShop(version: string): Promise<string> {
  const app = Fastify({ forceCloseConnections: true });
  running.push(app);
  app.addSchema(item);
  const components = { securitySchemes: { key: { type: "apiKey", in: "header", name: "x-key" } } } as const;
  await app.register(swagger, { openapi: { openapi: version, info: { title: "Shop", version: "1" }, components } });
  // Routes of a plugin are registered after the plugin that documents them.
  await app.register((instance, _options, done) => {
    addRoutes(instance);
    done();
  });
  return app.listen({ port: 0, host: "127.0.0.1" });
}

function addRoutes(app: FastifyInstance): void {
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
  const one = { 200: { $ref: "Item#" } };
  const params = { type: "object", properties: { id: { type: "integer" } } };
  const querystring = { type: "object", properties: { tag: { type: "array", items: { type: "string" } } } };
  const security = [{ key: [] }];
  app.get("/items", { schema: { operationId: "listItems", querystring, security } }, (request) => {
    if (request.headers["x-key"] !== "secret-key") throw new Error("no key");
    const { tag = [] } = request.query as { tag?: string[] };
    return { items: stored.filter(({ tags }) => tag.every((name) => tags.includes(name))) };
  });
  app.get("/items/:id", { schema: { operationId: "getItem", params, response: one } }, (request) => {
    const found = stored.find(({ id }) => id === (request.params as { id: number }).id);
    if (!found) throw Object.assign(new Error("no such item"), { statusCode: 404 });
    return found;
  });
  const body = { $ref: "Item#" };
  app.post("/items", { schema: { operationId: "addItem", body, response: one } }, (request) => request.body);
}

async function connectShop(version: string): Promise<Client> {
  const baseUrl = await startShop(version);
  const spec = await readSpec(`${baseUrl}/openapi.json`);
  const shop = openapi(spec, { baseUrl, include: "all", auth: { key: "secret-key" } });
  expect(shop.skipped).toEqual([]);
  const server = createServer({ name: "host", version: "1.0.0" }).mount("shop", shop);
  const client = await connect(server);
  running.push(server, client);
  return client as Client;
}

describe.each(["3.0.3", "3.1.0"])("an API of Fastify with a document of OpenAPI %s", (version) => {
  test("its operations are tools that answer as the API does", async () => {
    const client = await connectShop(version);
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names.sort()).toEqual(["shop__addItem", "shop__getItem", "shop__listItems"]);
    const list = await client.callTool("shop__listItems", { tag: ["hot", "green"] });
    expect(list.structuredContent).toEqual({ items: [stored[0]] });
    expect((await client.callTool("shop__getItem", { id: 2 })).structuredContent).toEqual(stored[1]);
    const added = await client.callTool("shop__addItem", { body: { id: 3, name: "milk", tags: [] } });
    expect(added.structuredContent).toEqual({ id: 3, name: "milk", tags: [] });
  });

  test("wrong arguments and errors of the API are error results", async () => {
    const client = await connectShop(version);
    const missing = await client.callTool("shop__getItem", { id: 9 });
    expect(missing).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("no such item") }] });
    expect((await client.callTool("shop__addItem", { body: { id: "x" } })).isError).toBe(true);
  });
});
