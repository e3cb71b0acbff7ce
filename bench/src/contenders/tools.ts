// The tools of every contender: TOOLS tools that greet. PROGRESS=1 adds one that reports progress first, ASKS=1 one that
// elicits the name, and TASKS one that greets as a task.

export const description = "Greet someone by name";
export const progressToolName = "greet_progress";
export const askingToolName = "greet_asked";
export const taskToolName = "greet_later";
export const question = "Who are you?";

/** A type alias, because an interface does not pass for a JSON object. */
export type GreetInput = { type: "object"; properties: { name: { type: "string" } }; required: ["name"] };

export interface ToolDescription {
  name: string;
  description: string;
  inputSchema: GreetInput;
}

export function toolCount(): number {
  return Number(process.env.TOOLS ?? 1);
}

export function offersProgress(): boolean {
  return process.env.PROGRESS === "1";
}

export function offersAsking(): boolean {
  return process.env.ASKS === "1";
}

/** The kind of task store, or undefined without tasks. */
export function taskStoreKind(): "memory" | "file" | undefined {
  const kind = process.env.TASKS;
  return kind === "memory" || kind === "file" ? kind : undefined;
}

/** greet, greet_1, greet_2, ... */
export function toolNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? "greet" : `greet_${index}`));
}

/** A new object of raw JSON Schema for each tool, as an author would write it. */
export function greetInput(): GreetInput {
  return { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
}

export function describeTools(count: number): ToolDescription[] {
  return toolNames(count).map((name) => ({ name, description, inputSchema: greetInput() }));
}

export function greetingOf(name: string): string {
  return `Hello, ${name}!`;
}
