// What the server of this page offers: an administration interface, an MCP endpoint, or both.

export interface ConsoleSettings {
  readonly name?: string;
  readonly admin?: string;
  readonly mcp?: string;
}

/** Rejects if the server that delivered the page is gone. */
export async function readSettings(): Promise<ConsoleSettings> {
  const response = await fetch("/console/settings.json");
  if (!response.ok) throw new Error(`the settings of the console cannot be read: HTTP ${response.status}`);
  return (await response.json()) as ConsoleSettings;
}
