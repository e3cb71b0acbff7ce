// The merged catalogue as it is now: read from every upstream at once, kept until one of them says that it changed.
// An upstream that cannot be reached keeps its last good part, so that one bad upstream never empties the list.
import { type Dispatch, method, notificationMethod } from "@lethe/protocol";
import { createOwnExchange, toOwnRequest } from "../upstream/own-request.ts";
import { type Catalog, mergeCatalogs } from "./merge-catalogs.ts";
import { readCatalog, type UpstreamCatalog } from "./read-catalog.ts";

export type ListKind = "tools" | "prompts" | "resources";

export interface CatalogSource {
  readonly name: string;
  readonly dispatch: Dispatch;
}

export interface LiveCatalogOptions {
  /** How long one upstream may take to be read, in ms. Default 10 000. */
  readTimeoutMs?: number;
  /** Called with the lists that differ from what they were before. */
  onChange?(kinds: readonly ListKind[]): void;
  onProblem?(problem: string): void;
}

interface Reading {
  /** A change came while the upstream was read: it is read once more. */
  isStale: boolean;
  done: Promise<void>;
}

export class LiveCatalog {
  readonly #sources: readonly CatalogSource[];
  readonly #options: LiveCatalogOptions;
  readonly #parts: Map<string, UpstreamCatalog> = new Map();
  readonly #listening: Set<string> = new Set();
  readonly #reading: Map<string, Reading> = new Map();
  readonly #stop: AbortController = new AbortController();
  #merged: Catalog = mergeCatalogs([]);
  #reported: Set<string> = new Set();

  constructor(sources: readonly CatalogSource[], options: LiveCatalogOptions = {}) {
    this.#sources = sources;
    this.#options = options;
  }

  get current(): Catalog {
    return this.#merged;
  }

  /** What one upstream offers, if it was ever read. */
  partOf(upstream: string): UpstreamCatalog | undefined {
    return this.#parts.get(upstream);
  }

  /** Reads one upstream anew, for example after it was started, and listens for its changes. Never rejects. */
  refresh(name: string): Promise<void> {
    const running = this.#reading.get(name);
    if (running) {
      running.isStale = true;
      return running.done;
    }
    const source = this.#sources.find((candidate) => candidate.name === name);
    if (!source) return Promise.resolve();
    const reading: Reading = { isStale: false, done: Promise.resolve() };
    this.#reading.set(name, reading);
    reading.done = this.#readUntilFresh(source, reading);
    return reading.done;
  }

  close(): void {
    this.#stop.abort();
  }

  async #readUntilFresh(source: CatalogSource, reading: Reading): Promise<void> {
    do {
      reading.isStale = false;
      await this.#read(source);
    } while (reading.isStale && !this.#stop.signal.aborted);
    this.#reading.delete(source.name);
    this.#listen(source);
  }

  async #read({ name, dispatch }: CatalogSource): Promise<void> {
    const { readTimeoutMs = 10_000, onProblem } = this.#options;
    try {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(readTimeoutMs)]);
      this.#parts.set(name, await readCatalog(name, dispatch, signal));
      this.#merge();
    } catch (error) {
      if (!this.#stop.signal.aborted)
        onProblem?.(`the catalogue of ${name} could not be read: ${(error as Error).message}`);
    }
  }

  #merge(): void {
    const before = this.#merged;
    this.#merged = mergeCatalogs(this.#sources.flatMap(({ name }) => this.#parts.get(name) ?? []));
    const fresh = this.#merged.problems.filter((problem) => !this.#reported.has(problem));
    this.#reported = new Set(this.#merged.problems);
    for (const problem of fresh) this.#options.onProblem?.(problem);
    const kinds = changedLists(before, this.#merged);
    if (kinds.length > 0) this.#options.onChange?.(kinds);
  }

  #listen({ name, dispatch }: CatalogSource): void {
    const offered = this.#parts.get(name)?.discover.capabilities;
    const notifications = {
      toolsListChanged: offered?.tools?.listChanged === true,
      promptsListChanged: offered?.prompts?.listChanged === true,
      resourcesListChanged: offered?.resources?.listChanged === true,
    };
    const isWanted = Object.values(notifications).includes(true);
    if (!isWanted || this.#listening.has(name) || this.#stop.signal.aborted) return;
    this.#listening.add(name);
    const exchange = createOwnExchange({
      signal: this.#stop.signal,
      onNotification: (notification) => {
        if (notification.method !== notificationMethod.acknowledged) void this.refresh(name);
      },
    });
    // How a stream ends does not matter here: when the upstream is back, it is read anew and listened to again.
    const forget = () => this.#listening.delete(name);
    dispatch(toOwnRequest(method.listen, { notifications }), exchange).then(forget, forget);
  }
}

function changedLists(before: Catalog, after: Catalog): ListKind[] {
  const isChanged = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);
  const kinds: ListKind[] = [];
  if (isChanged(before.tools, after.tools)) kinds.push("tools");
  if (isChanged(before.prompts, after.prompts)) kinds.push("prompts");
  if (isChanged([before.resources, before.templates], [after.resources, after.templates])) kinds.push("resources");
  return kinds;
}
