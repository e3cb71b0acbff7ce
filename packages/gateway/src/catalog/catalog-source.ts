// What the lists of upstreams are read from, and what their reader needs to know.
import type { Dispatch } from "@lethe/protocol";
import type { DeclaredExtensions } from "../extensions/declared-extensions.ts";
import type { ExtensionFilter } from "../extensions/extension-filter.ts";
import type { EraDifferences } from "../upstreams/sessions/era-differences.ts";
import type { ListLimits } from "./list-limits.ts";
import type { UpstreamCatalog } from "./read-catalog.ts";

export interface CatalogSource {
  readonly name: string;
  /** For the older era of an upstream: the name of that upstream. The source is read only when `read` is called. */
  readonly legacyEraOf?: string;
  /** Called with the differences between the two eras once both were read. */
  onUnited?(differences: EraDifferences): void;
  readonly dispatch: Dispatch;
  /** The extensions to declare. Default: none. */
  readonly declared?: DeclaredExtensions;
  /** Returns a Dispatch for requests that declare extensions. Default: `dispatch`. */
  dispatchWith?(declared: DeclaredExtensions): Dispatch;
  /** Which extensions pass between callers and the upstream. Default: all. */
  readonly extensions?: ExtensionFilter;
  /** Called when the lists were read with a declaration: whether they differ from those without. */
  onDeclared?(declared: DeclaredExtensions, isDifferent: boolean): void;
  /** Whether changes are listened for. Default: if it is kept. */
  readonly isHeard?: boolean;
  /** False for an upstream that starts on demand. It is read when a caller has started it. */
  readonly isKept: boolean;
}

export interface LiveCatalogOptions {
  /** How long reading one upstream may take, in ms. Default 10,000. */
  readTimeoutMs?: number;
  /**
   * The age at which a catalog is read again when it is requested, if the upstream sets no `ttlMs` and announces no changes,
   * in ms. Default 60,000.
   */
  maxAgeMs?: number;
  /** The limits on the lists of one upstream. */
  limits?: ListLimits;
  onProblem?(problem: string, upstream: string): void;
  /** Returns the catalog to keep of a source that was read. Default: as read. */
  toKept?(source: CatalogSource, catalog: UpstreamCatalog): UpstreamCatalog;
  /** Called after a source was read and the views have its lists. */
  onRead?(source: CatalogSource): void;
  /** Returns the catalog of an upstream that was not read yet. Default: none. */
  meanwhile?(upstream: string): UpstreamCatalog | undefined;
  /** Returns the catalog of the older era of an upstream, if no source of this object reads it. */
  olderOf?(upstream: string): UpstreamCatalog | undefined;
}
