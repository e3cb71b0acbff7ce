// A server with every feature that may pass a gateway, as data and behaviour: crossing-modern.ts and crossing-v1.ts
// serve it, each with its own stack.
import type {
  CallToolResult,
  CompleteParams,
  ContentBlock,
  GetPromptResult,
  JsonObject,
  LogLevel,
  Prompt,
  Resource,
  ResourceTemplate,
  Root,
  Tool,
} from "@lethe/protocol";
import { McpError } from "@lethe/protocol";

export interface CrossingServer {
  readonly url: string;
  /** The arguments and `_meta` of each tool call, the oldest first. */
  readonly calls: readonly ArrivedCall[];
  /** The tools whose callers disconnected. */
  readonly cancelled: readonly string[];
  /** Adds a feature and announces the change. */
  add(kind: "tools" | "prompts" | "resources", name: string): void;
  /** Announces an updated resource. */
  update(uri: string): void;
  close(): Promise<void>;
}

export interface ArrivedCall {
  readonly name: string;
  readonly meta: JsonObject;
  header(name: string): string | undefined;
}

/** The context of a running tool, independent of the wire. */
export interface Hands {
  readonly signal: AbortSignal;
  progress(done: number, total: number, message: string): void;
  log(level: LogLevel, data: unknown, logger: string): void;
  /** The name that a user gives. */
  elicit(message: string): Promise<string>;
  /** The text that a model gives. */
  sample(prompt: string): Promise<string>;
  roots(): Promise<readonly Root[]>;
  onCancelled(): void;
}

export const pageSize = 2;
export const instructions = "Ask before you measure.";
export const mark: JsonObject = { "example.com/mark": [1, { two: 2 }] };
export const note = "test://note";
const icons = [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"] }];
const annotations = { audience: ["user" as const], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" };
const noInput = { type: "object" as const };

export const tools: readonly Tool[] = [
  {
    name: "measure",
    title: "Measure",
    description: "Measures",
    icons,
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
    outputSchema: { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] },
    _meta: mark,
  },
  { name: "report", description: "Reports progress, and logs", inputSchema: noInput },
  { name: "hang", description: "Never ends", inputSchema: noInput },
  { name: "show", description: "Shows every kind of content", inputSchema: noInput },
  {
    name: "where",
    description: "Has a mirrored argument",
    inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
  },
  { name: "ask", description: "Asks a user, a model and a host", inputSchema: noInput },
  { name: "fail", description: "Fails", inputSchema: noInput },
  { name: "refuse", description: "Answers with an error of its own", inputSchema: noInput },
];

export const prompts: readonly Prompt[] = [
  {
    name: "greet",
    title: "Greet",
    description: "Greets",
    icons,
    arguments: [
      { name: "language", required: true },
      { name: "name", required: false },
    ],
    _meta: mark,
  },
  { name: "leave", description: "Says good bye" },
  { name: "stay", description: "Says nothing" },
];

export const resources: readonly Resource[] = [
  { uri: note, name: "note", title: "A note", mimeType: "text/plain", size: 6, icons, annotations, _meta: mark },
  { uri: "test://picture", name: "picture", mimeType: "image/png" },
  { uri: "test://third", name: "third" },
];

export const templates: readonly ResourceTemplate[] = [
  { uriTemplate: "test://page/{number}", name: "page", title: "A page", mimeType: "text/plain", icons, annotations },
];

export const content: readonly ContentBlock[] = [
  { type: "text", text: "a text", annotations, _meta: mark },
  { type: "image", data: "AAAA", mimeType: "image/png" },
  { type: "audio", data: "AAAA", mimeType: "audio/wav" },
  { type: "resource", resource: { uri: "test://inside", mimeType: "text/plain", text: "within", _meta: mark } },
  { type: "resource_link", uri: "test://page/7", name: "page 7", mimeType: "text/plain", size: 6, icons, annotations },
];

export async function runTool(name: string, args: JsonObject, hands: Hands): Promise<CallToolResult> {
  switch (name) {
    case "measure":
      return { ...say(`21 °C in ${args.place}`), structuredContent: { celsius: 21 }, _meta: mark };
    case "report":
      return report(hands);
    case "hang":
      return new Promise((_, reject) => {
        hands.signal.addEventListener("abort", () => {
          hands.onCancelled();
          reject(new Error("cancelled"));
        });
      });
    case "show":
      return { resultType: "complete", content: [...content] };
    case "where":
      return say(`in ${args.region}`);
    case "ask": {
      const [name, text, roots] = [await hands.elicit("Who?"), await hands.sample("What?"), await hands.roots()];
      return say([name, text, ...roots.map(({ uri }) => uri)].join(", "));
    }
    case "fail":
      return { ...say("out of order"), isError: true };
    case "refuse":
      throw new McpError(4_001, "not today", { data: { until: "tomorrow" } });
    default:
      return say(`this is ${name}`);
  }
}

export const steps = [1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` }));
export const warning = { level: "warning" as const, logger: "gauge", data: { is: "low" } };

async function report(hands: Hands): Promise<CallToolResult> {
  hands.log("debug", "begins", warning.logger);
  hands.log(warning.level, warning.data, warning.logger);
  for (const { progress, total, message } of steps) {
    hands.progress(progress, total, message);
    // The official SDK v1 drops progress that arrives together with the result.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return say("reported");
}

function say(text: string): CallToolResult {
  return { resultType: "complete", content: [{ type: "text", text }] };
}

export function getPrompt(name: string, args: Readonly<Record<string, unknown>>): Omit<GetPromptResult, "resultType"> {
  const message = { role: "user" as const, content: { type: "text" as const, text: `${name} in ${args.language}` } };
  return { description: `to ${name}`, messages: [message, { role: "assistant", content: content[3] as ContentBlock }] };
}

export const languages: Readonly<Record<string, readonly string[]>> = { Ann: ["Danish", "Dutch"], "": ["Dutch"] };

/** Depends on earlier arguments. */
export function complete({ argument, context }: Pick<CompleteParams, "argument" | "context">): readonly string[] {
  if (argument.name === "number") return ["1", "10"];
  return (languages[context?.arguments?.name ?? ""] ?? []).filter((language) => language.startsWith(argument.value));
}

/** Undefined where there is nothing. */
export function read(uri: string): JsonObject | undefined {
  if (uri === "test://picture") return { uri, mimeType: "image/png", blob: "AAAA" };
  const page = uri.match(/^test:\/\/page\/(\d+)$/)?.[1];
  if (page !== undefined) return { uri, mimeType: "text/plain", text: `page ${page}` };
  return uri === note ? { uri, mimeType: "text/plain", text: "a note", _meta: mark } : undefined;
}
