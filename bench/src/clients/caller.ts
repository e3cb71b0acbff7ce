// What every measured client is to its driver: something that greets.

/** The URL of a server, or the command that starts one on stdio. */
export type Target = string | readonly string[];

export interface Caller {
  /** Calls the greeting tool; resolves with its text. */
  call(name: string): Promise<string>;
  close(): Promise<void>;
}

/** What a client's module exports. */
export interface ClientModule {
  connect(target: Target): Promise<Caller>;
}

/** The text of a tool's answer, whichever client gave it. */
export function textOf(result: object): string {
  const { content = [] } = result as { content?: { type: string; text?: string }[] };
  const [block] = content;
  if (block?.type !== "text") throw new Error("a greeting expected");
  return block.text ?? "";
}
