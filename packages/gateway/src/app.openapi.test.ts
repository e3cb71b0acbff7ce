import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveGateway } from "./app.ts";
import { readConfig } from "./config/read-config.ts";

const document = `
openapi: 3.0.3
info: { title: Pets, version: "1" }
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
security: [{ key: [] }]
paths:
  /pets/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getPet }
    delete: { operationId: deletePet }
`;

const folder = mkdtempSync(join(tmpdir(), "openapi-"));
const api = createHttpServer((req, res) => {
  res.setHeader("content-type", "application/json");
  res.end(JSON.stringify({ url: req.url, key: req.headers["x-key"], token: req.headers.authorization ?? null }));
});
let baseUrl = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  writeFileSync(join(folder, "pets.yaml"), document);
});
afterAll(() => {
  api.close();
  rmSync(folder, { recursive: true });
});

function load(entry: object) {
  const path = join(folder, `${Math.random()}.json`);
  writeFileSync(path, JSON.stringify({ mcpServers: { pets: entry } }));
  return readConfig([path], { environment: { KEY: "secret-key" } });
}

test("the tools of an HTTP API are served at both endpoints, with the credentials of the file", async () => {
  const entry = { openapi: "./pets.yaml", baseUrl, auth: { key: "${KEY}" } };
  const gateway = await serveGateway({ load: () => load(entry), settings: { port: 0 }, watches: false });
  await gateway.settled;
  for (const [path, name] of [
    ["", "pets__getPet"],
    ["/pets", "getPet"],
  ] as const) {
    const client = await connect(`${gateway.url}${path}`, { headers: { authorization: "Bearer caller" } });
    expect((await client.listTools()).map((tool) => tool.name)).toEqual([name]);
    const { structuredContent } = await client.callTool(name, { id: 7 });
    expect(structuredContent).toEqual({ url: "/pets/7", key: "secret-key", token: null });
    await client.close();
  }
  await gateway.close();
});

test.each([
  [{ openapi: "./pets.yaml", auth: { key: "x" } }, "auth needs baseUrl"],
  [{ openapi: "./pets.yaml", inclde: "all" }, 'did you mean "include"'],
  [{ openapi: "./pets.yaml", include: "none" }, 'include must be "all"'],
  [{ openapi: "./pets.yaml", exclude: { tag: [] } }, "exclude.tag is not known"],
])("the entry %j is an error with its reason", async (entry, reason) => {
  await expect(load(entry)).rejects.toThrow(reason);
});
