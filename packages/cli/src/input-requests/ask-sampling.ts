// Sampling requests in the terminal (E-95). There is no model, so the user writes the message or refuses.
import type { CreateMessageParams, CreateMessageResult, SamplingContent, SamplingMessage } from "@lethe/protocol";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import { type Prompt, Refusal } from "../terminal/prompt.ts";
import type { Style } from "../terminal/style.ts";

/** Rejects with Refusal. */
export async function askSampling(
  prompt: Prompt,
  { messages, systemPrompt, maxTokens }: CreateMessageParams,
  style: Style,
): Promise<CreateMessageResult> {
  if (systemPrompt !== undefined) prompt.write(`${style.dim("system:")} ${toPrintable(systemPrompt)}\n`);
  for (const message of messages)
    prompt.write(`${style.dim(`${toPrintableLine(message.role)}:`)} ${toPrintable(toText(message))}\n`);
  prompt.write(
    `${style.dim(`Answer as the model would, in at most ${toPrintableLine(maxTokens)} tokens; an empty line ends it.`)}\n`,
  );
  const lines: string[] = [];
  for (;;) {
    const line = await prompt.ask("> ");
    if (line === "") break;
    lines.push(line);
  }
  if (lines.length === 0) throw new Refusal("decline");
  return toSampled(lines.join("\n"));
}

export function toSampled(text: string): CreateMessageResult {
  return { role: "assistant", content: { type: "text", text }, model: "human", stopReason: "endTurn" };
}

export function toText({ content }: SamplingMessage): string {
  return [content].flat().map(blockToText).join("\n");
}

function blockToText(block: SamplingContent): string {
  return block.type === "text" ? block.text : `[${block.type}]`;
}
