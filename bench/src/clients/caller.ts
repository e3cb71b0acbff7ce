// The interface between a measured client and its driver: one call of the greeting tool.

/** The URL of a server, or the command that starts one on stdio. */
export type Target = string | readonly string[];

export interface Caller {
  /** Calls the greeting tool; resolves with its text. */
  call(name: string): Promise<string>;
  close(): Promise<void>;
}

/** The exports of a client's module. */
export interface ClientModule {
  connect(target: Target): Promise<Caller>;
}

/** Returns the text of a tool result of any client. */
export function textOf(result: object): string {
  const { content = [] } = result as { content?: { type: string; text?: string }[] };
  const [block] = content;
  if (block?.type !== "text") throw new Error("expected a greeting");
  return block.text ?? "";
}
