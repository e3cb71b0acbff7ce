// Formats a result as text, with a short description of other content.
import type { CallToolResult, ContentBlock, GetPromptResult, ResourceContents } from "@lethe/protocol";

export function toToolText(result: CallToolResult): string {
  if (result.content.length > 0) return result.content.map(toBlockText).join("\n");
  return "structuredContent" in result ? JSON.stringify(result.structuredContent, null, 2) : "";
}

export function toPromptText({ description, messages }: GetPromptResult): string {
  const lines = messages.map(({ role, content }) => `${role}: ${toBlockText(content)}`);
  return (description === undefined ? lines : [description, "", ...lines]).join("\n");
}

export function toContentsText(contents: ResourceContents): string {
  if ("text" in contents) return contents.text;
  return `[${contents.mimeType ?? "binary"}, ${bytesOf(contents.blob)} bytes]`;
}

function toBlockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${block.mimeType}, ${bytesOf(block.data)} bytes]`;
    case "resource_link":
      return `[link ${block.uri}]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    default:
      return `[${(block as { type: string }).type}]`;
  }
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}
