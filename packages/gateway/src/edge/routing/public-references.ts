// References to resources in the results of upstreams, as callers of the endpoint see them (J-58): a link of a tool leads back to
// the upstream of the tool.
import { isJsonObject, type JsonObject, type ModernRequest, method, type Result } from "@lethe/protocol";
import { withPublicReferences } from "../../catalog/ui-references.ts";

export interface PublicUris {
  toPublic(upstream: string, uri: string): string;
  /** What a URI of the endpoint means if it leads to this upstream. */
  routeTo(upstream: string, publicUri: string): { readonly uri: string };
}

/** `result` may be changed; what it consists of is copied where it has to be. */
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

/** Of a call, also where it is the result of a task. */
export function publishToolResult<R extends JsonObject>(result: R, upstream: string, uris: PublicUris): R {
  const { content, _meta } = result;
  const changed: JsonObject = result;
  if (Array.isArray(content)) changed.content = mapChanged(content, (block) => publishBlock(block, upstream, uris));
  if (isJsonObject(_meta)) changed._meta = withPublicReferences(_meta, (uri) => uris.toPublic(upstream, uri));
  return result;
}

/** The resource that was asked for has the URI that its caller asked with. */
function publishContents(
  result: Result,
  contents: readonly unknown[],
  upstream: string,
  { params }: ModernRequest,
  uris: PublicUris,
): void {
  const asked = String(params.uri);
  const own = uris.routeTo(upstream, asked).uri;
  result.contents = mapChanged(contents, (content) =>
    isJsonObject(content) && content.uri === own ? withUri(content, asked) : publishUri(content, upstream, uris),
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

/** The same array where no item changes. */
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
