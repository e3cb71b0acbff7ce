// Reads one of the four lists of a server, page by page on demand.

import { isJsonObject, type JsonObject, nameOf, type Result } from "@lethe/protocol";
import type { CacheTopic } from "../cache/response-cache.ts";
import { TransportError } from "../call/transport-error.ts";
import { checkResult } from "./check-result.ts";
import type { CallOptions } from "./client-options.ts";
import type { ListKind } from "./list-kinds.ts";
import { readPages } from "./read-pages.ts";

export interface ListSource {
  readonly serverName: string;
  send(method: string, params: JsonObject, options?: CallOptions): Promise<Result>;
  /** Called when the cached pages are inconsistent. */
  invalidate(topic: CacheTopic): void;
}

export function readList<T>(
  { send, invalidate, serverName }: ListSource,
  { method, member, keyOf, topic }: ListKind<T>,
  options?: CallOptions,
): AsyncGenerator<T, undefined> {
  const what = `${method} to ${serverName}`;
  return readPages<T>({
    what,
    keyOf,
    async read(cursor) {
      const page = await send(method, cursor === undefined ? {} : { cursor }, options);
      checkResult(page, { member, kind: "array" }, what);
      const items = page[member] as T[];
      const wrong = items.find((item) => !isJsonObject(item));
      if (wrong !== undefined) {
        throw new TransportError(
          "invalid",
          `${what}: expected each of "${member}" to be an object, got ${nameOf(wrong)}`,
        );
      }
      return { items, nextCursor: page.nextCursor };
    },
    restart: () => invalidate(topic),
  });
}
