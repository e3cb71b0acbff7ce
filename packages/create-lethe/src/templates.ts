// The kinds of projects that the command creates.

export const templates = {
  tools: "a server with two tools",
  interactive: "a server whose tool requests input from the user while it runs (elicitation)",
  app: "a server whose tool shows a page in the client (MCP Apps)",
  gateway: "a gateway that puts several servers behind one endpoint",
} as const;

export type Template = keyof typeof templates;

export const templateNames: readonly Template[] = Object.keys(templates) as Template[];

export function isTemplate(name: string): name is Template {
  return Object.hasOwn(templates, name);
}
