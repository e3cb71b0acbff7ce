// What every contender offers: TOOLS tools that greet, and with PROGRESS=1 one that reports progress first.

export const description = "Greet someone by name";
export const progressToolName = "greet_progress";

export interface ToolDescription {
  name: string;
  description: string;
  inputSchema: { type: "object"; properties: { name: { type: "string" } }; required: ["name"] };
}

export function toolCount(): number {
  return Number(process.env.TOOLS ?? 1);
}

export function offersProgress(): boolean {
  return process.env.PROGRESS === "1";
}

/** greet, greet_1, greet_2, ... */
export function toolNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? "greet" : `greet_${index}`));
}

/** The definitions as raw JSON Schema, each its own object as if its author had written it. */
export function describeTools(count: number): ToolDescription[] {
  return toolNames(count).map((name) => ({
    name,
    description,
    inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  }));
}

export function greetingOf(name: string): string {
  return `Hello, ${name}!`;
}
