// The result of a call, each kind of content as people see it best.
import type { ContentBlock, ResourceContents } from "@lethe/protocol";
import { Link } from "@tanstack/react-router";
import { FileText } from "lucide-react";
import { formatBytes } from "../format/numbers.ts";
import { JsonView } from "../parts/json-view.tsx";
import { Markdown } from "./markdown.tsx";
import { StructuredView } from "./structured-view.tsx";

interface AnyResult {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly contents?: readonly ResourceContents[];
  readonly messages?: readonly { readonly role: string; readonly content: ContentBlock }[];
}

export function ResultView({ result }: { result: unknown }) {
  const { content = [], structuredContent, contents = [], messages = [] } = result as AnyResult;
  const isEmpty = content.length + contents.length + messages.length === 0 && structuredContent === undefined;
  return (
    <div className="result">
      {structuredContent !== undefined && <StructuredView value={structuredContent} />}
      {content.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes.
        <Block key={index} block={block} hasStructure={structuredContent !== undefined} />
      ))}
      {contents.map((resource) => (
        <Contents key={resource.uri} resource={resource} />
      ))}
      {messages.map(({ role, content: block }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result never changes.
        <div key={index} className="message">
          <span className="badge">{role}</span>
          <Block block={block} hasStructure={false} />
        </div>
      ))}
      {isEmpty && <p className="muted">The result is empty.</p>}
    </div>
  );
}

function Block({ block, hasStructure }: { block: ContentBlock; hasStructure: boolean }) {
  switch (block.type) {
    case "text":
      // Servers repeat structured content as text for older clients.
      return hasStructure && parsed(block.text) !== undefined ? null : <TextBlock text={block.text} />;
    case "image":
      return <img className="media" alt="From the server" src={`data:${block.mimeType};base64,${block.data}`} />;
    case "audio":
      // biome-ignore lint/a11y/useMediaCaption: the protocol has no captions.
      return <audio controls src={`data:${block.mimeType};base64,${block.data}`} />;
    case "resource":
      return <Contents resource={block.resource} />;
    case "resource_link":
      return (
        <Link
          className="resource-link"
          to="/playground"
          search={({ endpoint }) => ({
            ...(endpoint !== undefined && { endpoint }),
            kind: "resources",
            item: block.uri,
          })}
        >
          <FileText size={16} aria-hidden="true" />
          <span className="stack">
            <span>{block.title ?? block.name}</span>
            <span className="muted small wrap">
              {block.uri}
              {block.size !== undefined && ` · ${formatBytes(block.size)}`}
            </span>
          </span>
        </Link>
      );
    default:
      return <JsonView label="Content" value={block} />;
  }
}

function Contents({ resource }: { resource: ResourceContents }) {
  const { uri, mimeType = "" } = resource;
  return (
    <figure className="contents">
      <figcaption className="muted small wrap">
        {uri} {mimeType && <span className="mono">{mimeType}</span>}
      </figcaption>
      {"text" in resource ? (
        <TextBlock text={resource.text} isMarkdown={/markdown/.test(mimeType)} />
      ) : mimeType.startsWith("image/") ? (
        <img className="media" alt={uri} src={`data:${mimeType};base64,${resource.blob}`} />
      ) : (
        <p className="muted">{formatBytes((resource.blob.length * 3) / 4)} of binary data</p>
      )}
    </figure>
  );
}

function TextBlock({ text, isMarkdown }: { text: string; isMarkdown?: boolean }) {
  const value = parsed(text);
  if (value !== undefined) return <StructuredView value={value} />;
  const looksLikeMarkdown = /^#{1,6} |^[-*] |^\d+\. |\*\*|```|\[[^\]]+\]\([^)]+\)/m.test(text);
  if (isMarkdown ?? looksLikeMarkdown) return <Markdown text={text} />;
  return <pre className="text">{text}</pre>;
}

/** Only objects and arrays: a number is text as well. */
function parsed(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
