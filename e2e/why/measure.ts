// What works with the same server written for each library, as a client of each era sees it.
import { readFileSync } from "node:fs";
import { type Client, type ConnectOptions, connect } from "@lethe/client";
import type { Era } from "@lethe/protocol";

/** Each row of the table: a feature, and whether it works for a client. */
export const features: { readonly [name: string]: (url: string, era: Era) => Promise<boolean> } = {
  "structured results, with an enum": async (url, era) => {
    const client = await open(url, era);
    const { structuredContent: sum } = await client.callTool("add", { a: 1, b: 2 });
    const { structuredContent: weather } = await client.callTool("weather", { city: "Bern" });
    return isLike(sum, { sum: 3 }) && isLike(weather, { sky: "clear" });
  },
  progress: async (url, era) => {
    const client = await open(url, era);
    const steps: number[] = [];
    await client.callTool("count", {}, { onProgress: ({ progress }) => void steps.push(progress) });
    return isLike(steps, [1, 2, 3]);
  },
  "two elicitations in one call": async (url, era) => {
    const elicit: ConnectOptions["elicit"] = ({ message }) => ({
      action: "accept",
      content: message === "Where to?" ? { city: "Bern" } : { sure: true },
    });
    const client = await open(url, era, { elicit });
    return textOf(await client.callTool("book", {})) === "Booked Bern.";
  },
  sampling: async (url, era) => {
    const sample: ConnectOptions["sample"] = () => ({
      ...{ role: "assistant", model: "test", content: { type: "text", text: "short" } },
    });
    const client = await open(url, era, { sample });
    return textOf(await client.callTool("summarize", { text: "long" })) === "short";
  },
  "resource templates": async (url, era) => {
    const client = await open(url, era);
    const { contents } = await client.readResource("trip://Bern");
    return isLike(
      contents.map((content) => ("text" in content ? content.text : "")),
      ["A trip to Bern"],
    );
  },
  "completion of prompts and templates": async (url, era) => {
    const client = await open(url, era);
    const argument = { name: "city", value: "Ber" };
    const prompt = await client.complete({ ref: { type: "ref/prompt", name: "plan" }, argument });
    const template = await client.complete({ ref: { type: "ref/resource", uri: "trip://{city}" }, argument });
    return [prompt, template].every(({ completion }) => isLike(completion.values, ["Berlin", "Bern"]));
  },
  "errors keep their text from clients": async (url, era) => {
    const client = await open(url, era);
    const result = await client.callTool("fail", {}).catch((error: unknown) => String(error));
    return !JSON.stringify(result).includes("hunter2");
  },
};

/** The state that a client carries between two rounds of a call does not show what the user answered. */
export async function isStateUnreadable(url: string): Promise<boolean> {
  const first = await post(url, {});
  const [key] = Object.keys(first?.inputRequests ?? {});
  if (key === undefined) return false;
  const answer = { action: "accept", content: { city: "Reykjavik" } };
  const second = await post(url, { inputResponses: { [key]: answer }, requestState: first?.requestState });
  const state = String(second?.requestState ?? "");
  const texts = [state, ...state.split(/[.~:]/).map((part) => Buffer.from(part, "base64").toString("latin1"))];
  return state !== "" && !texts.some((text) => text.includes("Reykjavik"));
}

interface Round {
  readonly inputRequests?: object;
  readonly requestState?: string;
}

async function post(url: string, more: object): Promise<Round | undefined> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    "io.modelcontextprotocol/clientInfo": { name: "why", version: "1.0.0" },
  };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "book",
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "book", arguments: {}, _meta, ...more },
    }),
  });
  const text = await response.text();
  const json = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  return (JSON.parse(json) as { result?: Round }).result;
}

/** Lines and characters that are neither blank nor a comment. */
export function sizeOf(path: string): { lines: number; characters: number } {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(\/\/|#)/.test(line));
  return { lines: lines.length, characters: lines.join("").length };
}

const clients = new Set<Client>();

async function open(url: string, era: Era, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(url, { ...options, era, timeoutMs: 5_000 });
  clients.add(client);
  return client;
}

export async function closeClients(): Promise<void> {
  await Promise.all([...clients].map((client) => client.close()));
  clients.clear();
}

function textOf({ content }: { content: readonly object[] }): unknown {
  const [first] = content;
  return first && "text" in first ? first.text : undefined;
}

function isLike(value: unknown, expected: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(expected);
}
