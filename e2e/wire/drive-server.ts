// Calls every feature of a server, with arguments generated from its own schemas.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { WireClient } from "../../examples/src/testing/wire-client.ts";

export async function driveServer(client: WireClient): Promise<void> {
  await client.ask("server/discover");
  for (const { name, inputSchema } of await itemsOf(client, "tools/list", "tools")) {
    await client.ask("tools/call", { name, arguments: sampleOf(inputSchema) }, respond);
  }
  for (const prompt of await itemsOf(client, "prompts/list", "prompts")) await drivePrompt(client, prompt);
  for (const { uri } of await itemsOf(client, "resources/list", "resources")) {
    await client.ask("resources/read", { uri }, respond);
  }
  for (const { uriTemplate } of await itemsOf(client, "resources/templates/list", "resourceTemplates")) {
    await driveTemplate(client, String(uriTemplate));
  }
}

async function itemsOf(client: WireClient, method: string, member: string): Promise<JsonObject[]> {
  const { result } = await client.ask(method);
  return (result?.[member] ?? []) as JsonObject[];
}

async function drivePrompt(client: WireClient, { name, arguments: declared = [] }: JsonObject): Promise<void> {
  const names = (declared as JsonObject[]).map((argument) => String(argument.name));
  const args = Object.fromEntries(names.map((argument) => [argument, "test"]));
  await client.ask("prompts/get", { name, arguments: args }, respond);
  for (const argument of names) {
    const ref = { type: "ref/prompt", name };
    await client.ask("completion/complete", { ref, argument: { name: argument, value: "t" } });
  }
}

async function driveTemplate(client: WireClient, uri: string): Promise<void> {
  await client.ask("resources/read", { uri: uri.replaceAll(/\{\w+\}/g, "1") }, respond);
  for (const [, name] of uri.matchAll(/\{(\w+)\}/g)) {
    const ref = { type: "ref/resource", uri };
    await client.ask("completion/complete", { ref, argument: { name, value: "" } });
  }
}

function respond(_: string, { method, params }: JsonObject): JsonObject {
  if (method === "roots/list") return { roots: [{ uri: "file:///work" }] };
  if (method === "sampling/createMessage") {
    return { role: "assistant", content: { type: "text", text: "Hello" }, model: "test" };
  }
  return { action: "accept", content: sampleOf((params as JsonObject).requestedSchema) };
}

/** A value that the schema probably accepts. */
function sampleOf(schema: unknown): unknown {
  if (!isJsonObject(schema)) return "test";
  const { type, properties, items, minimum = 1, enum: values, oneOf } = schema;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(oneOf)) return oneOf[0].const;
  if (type === "object") {
    const members = Object.entries(isJsonObject(properties) ? properties : {});
    return Object.fromEntries(members.map(([name, property]) => [name, sampleOf(property)]));
  }
  if (type === "array") return isJsonObject(items) && items.anyOf ? [] : [sampleOf(items)];
  if (type === "boolean") return true;
  return type === "integer" || type === "number" ? minimum : "test";
}
