// The messages of a conversation as stable text, for snapshots and files.
import { checkOptions, isJsonObject, type JsonObject, type KnownOptions, metaKey } from "@lethe/protocol";
import { type GroupedMessage, groupMessages } from "./group-messages.ts";
import { Mask } from "./mask.ts";
import type { WireMessage } from "./wire-log.ts";

/** What a transcript masks in addition to ids, times and tokens. */
export interface TranscriptOptions {
  /** Members whose values differ from run to run, such as "orderId". Default none. */
  mask?: readonly string[];
}

const knownTranscriptOptions: KnownOptions<TranscriptOptions> = { mask: true };

/**
 * Renders messages as text that is the same in every run. Each client request is followed by the messages that belong to it, and
 * requests are numbered. Members are sorted. Progress tokens, sealed state, task ids, cursors, UUIDs, times and local ports become
 * placeholders. What a client of 2026-07-28 declares with every request is shown once.
 *
 * @example
 * import { toTranscript } from "@lethe/server/testing";
 *
 * const ping = { sender: "client", message: { jsonrpc: "2.0", id: 71, method: "ping" } } as const;
 * console.log(toTranscript([ping]).trim()); // client: ping (request 1)
 */
export function toTranscript(messages: readonly WireMessage[], options: TranscriptOptions = {}): string {
  checkOptions("toTranscript", options, knownTranscriptOptions);
  const mask = new Mask(options.mask ?? []);
  let declared = "";
  return groupMessages(messages)
    .map((entry) => {
      const text = JSON.stringify(mask.value(pick(entry.message, isDeclared)));
      const isRepeated = text === declared;
      if (text !== "{}") declared = text;
      return `${toText(entry, mask, isRepeated)}\n`;
    })
    .join("\n");
}

function toText({ sender, message, label, named }: GroupedMessage, mask: Mask, omitsDeclared: boolean): string {
  const { jsonrpc: _, id: __, method, ...content } = message;
  const what = typeof method === "string" ? method : "error" in content ? "error" : "result";
  const shown = omitsDeclared ? withMeta(content, (meta) => omit(meta, isDeclared)) : content;
  const body = mask.value(shown, named);
  return `${sender}: ${what}${label === undefined ? "" : ` (${label})`}${toJson(body)}`;
}

function toJson(body: unknown): string {
  const text = JSON.stringify(body, null, 2);
  return text === "{}" ? "" : `\n${text}`;
}

/** What a client declares with each of its requests. */
function isDeclared(name: string): boolean {
  return name === metaKey.protocolVersion || name === metaKey.clientInfo || name === metaKey.clientCapabilities;
}

/** Those members of `_meta` of a request. */
function pick({ params }: JsonObject, isWanted: (name: string) => boolean): JsonObject {
  const meta = isJsonObject(params) && isJsonObject(params._meta) ? params._meta : {};
  return omit(meta, (name) => !isWanted(name));
}

function withMeta(content: JsonObject, change: (meta: JsonObject) => JsonObject): JsonObject {
  const { params } = content;
  if (!isJsonObject(params) || !isJsonObject(params._meta)) return content;
  const meta = change(params._meta);
  const { _meta, ...others } = params;
  return { ...content, params: Object.keys(meta).length === 0 ? others : { ...others, _meta: meta } };
}

function omit(object: JsonObject, isOmitted: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !isOmitted(name)));
}
