// The JSON Schema, the types and the reference of the configuration follow from its one definition. `npm run config` writes them.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "jsonc-parser";
import { expect, test } from "vitest";
import { exampleConfig } from "../packages/gateway/src/config/example-config.ts";
import { toFileSchema } from "../packages/gateway/src/config/schema/file.ts";
import { type Schema, toKnown, toReference, toTypes } from "./config-documents.ts";

const schema = toFileSchema() as Schema;

test("the committed types of settings are those of the configuration's schema", async () => {
  await expect(toTypes(schema)).toMatchFileSnapshot("../packages/gateway/src/config/schema/settings.ts");
});

test("the committed names of settings are those of the configuration's schema", async () => {
  await expect(toKnown(schema)).toMatchFileSnapshot("../packages/gateway/src/config/schema/known-settings.ts");
});

test("the reference of the configuration describes every key as its schema does", async () => {
  await expect(toReference(schema)).toMatchFileSnapshot("../docs/configuration.md");
});

test("the published JSON Schema is that of the configuration", async () => {
  const text = `${JSON.stringify(schema, undefined, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../packages/cli/gateway.schema.json");
});

const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(schema);

/** Returns the places and texts of what an editor would mark. */
function marksIn(text: string): string[] {
  validate(parse(text, [], { allowTrailingComma: true }));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

/** The blocks of a page that are configuration files. */
function filesIn(page: string): [name: string, text: string][] {
  const blocks = [...read(page).matchAll(/```jsonc?\n(\{[\s\S]*?)```/g)].map(([, block = ""]) => block);
  return blocks
    .filter((block) => /"(mcpServers|gateway)":/.test(block))
    .map((block, index) => [`${page} ${index}`, block]);
}

const withoutComments = exampleConfig.replace(/^( *)\/\/ (?=["\]}[{ ])/gm, "$1");

test.each([
  ["the file of gateway init", exampleConfig],
  ["the file of gateway init with all comments activated", withoutComments],
  ...["examples/gateway/servers.json", "packages/create-lethe/templates/gateway/servers.json"].map((path) => [
    path,
    read(path),
  ]),
  ["deploy/compose/servers.json", read("deploy/compose/servers.json")],
  ...[
    "docs/gateway/settings.md",
    "docs/gateway/endpoints.md",
    "docs/gateway/files.md",
    "docs/gateway/replicas.md",
    "docs/tasks.md",
    "docs/openapi.md",
    "packages/gateway/README.md",
  ].flatMap(filesIn),
])("an editor with the published schema marks nothing in %s", (_name, text) => {
  expect(marksIn(text ?? "")).toEqual([]);
});

test.each([
  [{ gateway: { prot: 1 } }, "/gateway must NOT have additional properties"],
  [{ gateway: { port: 65_536 } }, "/gateway/port must be <= 65535"],
  [{ gateway: { policy: [{ tools: ["x"] }] } }, "/gateway/policy/0 must have required property 'effect'"],
  [{ gateway: { log: "xml" } }, "/gateway/log must be equal to one of the allowed values"],
  [
    { gateway: { upstreams: { a: { era: "old" } } } },
    "/gateway/upstreams/a/era must be equal to one of the allowed values",
  ],
  [{ mcpServers: { a: { command: 1 } } }, "/mcpServers/a/command must be string"],
])("an editor with the published schema marks %j", (file, mark) => {
  expect(marksIn(JSON.stringify(file))).toContain(mark);
});

test("text with a variable is valid wherever the schema limits text", () => {
  const gateway = { log: "${LOG}", publicUrl: "${URL}", redis: { url: "${REDIS}" }, card: { name: "${NAME:-a/b}" } };
  expect(marksIn(JSON.stringify({ gateway }))).toEqual([]);
});
