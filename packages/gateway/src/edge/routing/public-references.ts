// Rewrites references to resources in results of upstreams (J-58), so that a link from a tool leads back to the tool's
// upstream.
import { isJsonObject, type JsonObject, type ModernRequest, method, type Result } from "@lethe/protocol";
import { withPublicReferences } from "../../catalog/ui-references.ts";

export interface PublicUris {
  toPublic(upstream: string, uri: string): string;
  /** Returns the public form of a URI of this upstream. */
  routeTo(upstream: string, publicUri: string): { readonly uri: string };
}

/** May change `result`. Copies its parts where needed. */
export function publishResult(result: Result, upstream: string, request: ModernRequest, uris: PublicUris): Result {
  switch (request.method) {
    case method.callTool:
      return publishToolResult(result, upstream, uris);
    case method.getPrompt:
      if (Array.isArray(result.messages)) {
        result.messages = mapChanged(result.messages, (message) => publishMessage(message, upstream, uris));
      }
      return result;
    case method.readResource:
      if (Array.isArray(result.contents)) publishContents(result, result.contents, upstream, request, uris);
      return result;
    default:
      return result;
  }
}

/** Rewrites the result of a call, or of a task. */
export function publishToolResult<R extends JsonObject>(result: R, upstream: string, uris: PublicUris): R {
  const { content, _meta } = result;
  const changed: JsonObject = result;
  if (Array.isArray(content)) changed.content = mapChanged(content, (block) => publishBlock(block, upstream, uris));
  if (isJsonObject(_meta)) changed._meta = withPublicReferences(_meta, (uri) => uris.toPublic(upstream, uri));
  return result;
}

/** The requested resource keeps the URI that the caller used. */
function publishContents(
  result: Result,
  contents: readonly unknown[],
  upstream: string,
  { params }: ModernRequest,
  uris: PublicUris,
): void {
  const requestedUri = String(params.uri);
  const own = uris.routeTo(upstream, requestedUri).uri;
  result.contents = mapChanged(contents, (content) =>
    isJsonObject(content) && content.uri === own ? withUri(content, requestedUri) : publishUri(content, upstream, uris),
  );
}

function publishMessage(message: unknown, upstream: string, uris: PublicUris): unknown {
  if (!isJsonObject(message)) return message;
  const content = Array.isArray(message.content)
    ? mapChanged(message.content, (block) => publishBlock(block, upstream, uris))
    : publishBlock(message.content, upstream, uris);
  return content === message.content ? message : { ...message, content };
}

function publishBlock(block: unknown, upstream: string, uris: PublicUris): unknown {
  if (!isJsonObject(block)) return block;
  if (block.type === "resource_link") return publishUri(block, upstream, uris);
  if (block.type !== "resource") return block;
  const resource = publishUri(block.resource, upstream, uris);
  return resource === block.resource ? block : { ...block, resource };
}

function publishUri(item: unknown, upstream: string, uris: PublicUris): unknown {
  return isJsonObject(item) && typeof item.uri === "string" ? withUri(item, uris.toPublic(upstream, item.uri)) : item;
}

function withUri(item: JsonObject, uri: string): JsonObject {
  return item.uri === uri ? item : { ...item, uri };
}

/** Returns the same array if no item changes. */
function mapChanged(items: readonly unknown[], change: (item: unknown) => unknown): unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, item] of items.entries()) {
    const next = change(item);
    if (next === item) continue;
    changed ??= [...items];
    changed[index] = next;
  }
  return changed ?? (items as unknown[]);
}
