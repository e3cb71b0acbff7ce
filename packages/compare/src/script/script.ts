// The script that runs over every transport: a list of steps, built in or from a JSON file.
import { isJsonObject, type JsonObject, nameOf } from "@lethe/protocol";

/** Titles of the features, in the order of the report. */
export const features = {
  list: "Lists",
  call: "Tool call",
  resources: "Resources",
  prompts: "Prompts",
  completion: "Completion",
  sampling: "Sampling",
  elicitation: "Elicitation",
  roots: "Roots",
  progress: "Progress",
  logging: "Logging",
  changes: "Change notifications",
  subscriptions: "Resource subscriptions",
  background: "Background tasks",
} as const;

export type Feature = keyof typeof features;

/** Lists what the server has, or calls a tool. "changes" also subscribes first and waits for a notification. */
export interface Step {
  readonly name: string;
  readonly feature: Feature;
  /** Without a tool, the step lists tools, resources and prompts. */
  readonly tool?: string;
  readonly arguments?: JsonObject;
  /** The text that the result must contain. It detects content damaged by a transport. */
  readonly expects?: string;
}

/** Steps that run in order over each transport. */
export interface Script {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** A run whose steps depend on what the server declares and lists. */
export interface Survey {
  readonly name: string;
  /** "survey" tries every declared feature; "minimal" connects, lists the tools and calls one. */
  readonly kind: "survey" | "minimal";
  /** Also calls tools that are not annotated as read-only. Default false. */
  readonly callAll?: boolean;
  /** Calls these tools only, annotated or not. */
  readonly tools?: readonly string[];
}

/** What a comparison runs over each transport: fixed steps, or a survey of what the server offers. */
export type Plan = Script | Survey;

/** Features that a script file can name. Only a survey tries the others. */
const scripted: ReadonlySet<string> = new Set([
  "list",
  "call",
  "sampling",
  "elicitation",
  "roots",
  "progress",
  "logging",
  "changes",
  "background",
]);

/** Throws an Error that names the expected and the actual value. */
export function parseScript(value: unknown): Script {
  if (!isJsonObject(value)) throw unexpected("a script", "an object", value);
  const { name = "a script", steps } = value;
  if (typeof name !== "string") throw unexpected("name", "a string", name);
  if (!Array.isArray(steps)) throw unexpected("steps", "an array", steps);
  if (steps.length === 0) throw new Error("steps must have one step or more, got none");
  return { name, steps: steps.map(parseStep) };
}

function parseStep(value: unknown, index: number): Step {
  const path = `steps[${index}]`;
  if (!isJsonObject(value)) throw unexpected(path, "an object", value);
  const { feature, tool, name = tool ?? "list", expects, arguments: args } = value;
  if (!isFeature(feature)) throw unexpected(`${path}.feature`, `one of ${[...scripted].join(", ")}`, feature);
  if (feature !== "list" && tool === undefined) throw unexpected(`${path}.tool`, "the name of a tool", tool);
  for (const [member, text] of Object.entries({ tool, name, expects })) {
    if (text !== undefined && typeof text !== "string") throw unexpected(`${path}.${member}`, "a string", text);
  }
  if (args !== undefined && !isJsonObject(args)) throw unexpected(`${path}.arguments`, "an object", args);
  // The loop above has checked the types.
  return {
    feature,
    name,
    ...(tool !== undefined && { tool }),
    ...(args && { arguments: args }),
    ...(expects !== undefined && { expects }),
  } as Step;
}

function isFeature(value: unknown): value is Feature {
  return typeof value === "string" && scripted.has(value);
}

function unexpected(path: string, expected: string, value: unknown): Error {
  const came = typeof value === "string" ? JSON.stringify(value) : nameOf(value);
  return new Error(`${path} must be ${expected}, got ${came}`);
}
