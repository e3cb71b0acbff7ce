// OpenAPI documents that a gateway could not serve are found before it starts.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenApiUpstream } from "@lethe/gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findDocumentProblems } from "./document-problems.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-documents-"));
});
afterAll(() => rm(folder, { recursive: true }));

const responses = { 200: { description: "OK" } };
const valid = { openapi: "3.1.0", paths: { "/pets": { get: { operationId: "listPets", responses } } } };

const upstreamOf = (name: string, document: string): OpenApiUpstream => {
  return { kind: "openapi", name, document, api: { baseUrl: "https://pets.example" } };
};

async function problemsOf(content: string): Promise<string[]> {
  const document = join(folder, "api.yaml");
  await writeFile(document, content);
  const found = await findDocumentProblems({ upstreams: [upstreamOf("pets", document)] });
  return found.map(({ name, problem }) => `${name}: ${problem.replace(folder, "FOLDER")}`);
}

it("a valid document and a document at a URL have no problem", async () => {
  expect(await problemsOf(JSON.stringify(valid))).toEqual([]);
  expect(await findDocumentProblems({ upstreams: [upstreamOf("far", "https://pets.example/api.json")] })).toEqual([]);
});

it("a document that does not exist is named", async () => {
  const document = join(folder, "none.yaml");
  const found = await findDocumentProblems({ upstreams: [upstreamOf("pets", document)] });
  expect(found).toEqual([{ name: "pets", problem: `there is no file ${document}` }]);
});

it.each([
  ["is not YAML", "a: [", /^pets: FOLDER.api\.yaml: /],
  ["is not an OpenAPI document", "{}", /^pets: FOLDER.api\.yaml: .*openapi/],
  ["is of OpenAPI 2", "swagger: '2.0'", /^pets: FOLDER.api\.yaml: .*2\.0/],
])("a document that %s is named with the reason", async (_, content, expected) => {
  const [problem, ...others] = await problemsOf(content);
  expect(problem).toMatch(expected);
  expect(others).toEqual([]);
});
