// Requests that arrive before their upstream was first read wait for it. Otherwise the first client would get an empty list of
// tools and cache it.
import { type Caller, type Dispatch, type Exchange, type ModernRequest, method } from "@lethe/protocol";
import type { CatalogView } from "../../catalog/catalog-view.ts";
import { withStartProgress } from "../../upstreams/connection/start-progress.ts";
import { withTimeout } from "../../upstreams/connection/with-timeout.ts";

export interface StartupWindow {
  readonly isOver: boolean;
  /** Never rejects. */
  readonly over: Promise<void>;
}

/** Ends when `started` settles, or after `waitMs`. */
export function createStartupWindow(started: Promise<void>, waitMs: number): StartupWindow {
  const end = () => {
    window.isOver = true;
  };
  const over = withTimeout(waitMs, started, () => new Error("late")).then(end, end);
  const window = { isOver: false, over };
  return window;
}

export interface StartupWaitOptions {
  readonly startup: StartupWindow;
  readonly view: CatalogView;
  /** Returns the upstream of an endpoint that serves one upstream under its own names. */
  only(): string | undefined;
  /** Resolves when the upstream is started and its lists are read. Rejects with McpError if that fails or takes too long. */
  untilRead(upstream: string): Promise<void>;
  /** Whether a caller may call a tool of an upstream. */
  mayCall(caller: Caller | undefined, upstream: string, tool: string): boolean;
  /** Resolves when the lists were read with the extensions that the caller declares. Default: there is nothing to wait for. */
  untilDeclared?(request: ModernRequest, exchange: Exchange): Promise<void> | undefined;
  /** Returns the endpoint that replaces this one after a change of the configuration. Default: none. */
  successor?(): Dispatch | undefined;
}

/**
 * How long discover and lists wait for a starting server, in ms. After that, the client gets an error with `retryAfterMs`. Most
 * clients give up connecting after 60 s, so this answer arrives before they do.
 */
const listWaitMs = 50_000;

/** Resolves when the target of a request may be known. Returns undefined if the request need not wait. */
export type UntilKnown = (request: ModernRequest, exchange: Exchange) => Promise<void> | undefined;

export function afterStartup(
  dispatch: Dispatch,
  options: StartupWaitOptions,
  untilKnown: UntilKnown = createUntilKnown(options),
): Dispatch {
  return (request, exchange) => {
    const waiting = untilKnown(request, exchange);
    if (!waiting) return dispatch(request, exchange);
    return waiting.then(() => (options.successor?.() ?? dispatch)(request, exchange));
  };
}

export function createUntilKnown(options: StartupWaitOptions): UntilKnown {
  const { view } = options;

  /** Returns the upstream that a request depends on. */
  function ownerOf({ method: requested, params }: ModernRequest, caller: Caller | undefined): string | undefined {
    const only = options.only();
    if (only !== undefined) return waitsForStart.has(requested) ? only : undefined;
    if (requested !== method.callTool && requested !== method.getPrompt) return undefined;
    const owner = view.unreadOwnerOf(String(params.name));
    return owner && options.mayCall(caller, owner.upstream, owner.name) ? owner.upstream : undefined;
  }

  function untilRead(request: ModernRequest, exchange: Exchange): Promise<void> | undefined {
    if (view.isComplete || isKnown(view, request)) return undefined;
    const owner = ownerOf(request, exchange.caller);
    if (owner !== undefined) {
      const read = options.untilRead(owner);
      const waiting = isList(request) ? withTimeout(listWaitMs, read, () => new Error("late")) : read;
      // The endpoint reports the error itself, because its configuration may have changed meanwhile.
      const settled = waiting.catch(() => {});
      return withStartProgress(owner, settled, request, exchange);
    }
    const { startup } = options;
    return startup.isOver ? undefined : startup.over;
  }

  return (request, exchange) => {
    const waiting = untilRead(request, exchange);
    const { untilDeclared } = options;
    if (!untilDeclared) return waiting;
    if (!waiting) return untilDeclared(request, exchange);
    return waiting.then(() => untilDeclared(request, exchange));
  };
}

const lists: ReadonlySet<string> = new Set([
  method.discover,
  method.listTools,
  method.listPrompts,
  method.listResources,
  method.listResourceTemplates,
]);

/** Subscriptions and tasks do not depend on lists. */
const waitsForStart: ReadonlySet<string> = new Set([
  ...lists,
  ...[method.callTool, method.getPrompt, method.readResource, method.complete],
]);

function isList({ method: requested }: ModernRequest): boolean {
  return lists.has(requested);
}

/** A slow upstream does not delay tools of others. */
function isKnown({ current }: CatalogView, { method: requested, params }: ModernRequest): boolean {
  if (requested === method.callTool) return current.toolRoutes.has(String(params.name));
  return requested === method.getPrompt && current.promptRoutes.has(String(params.name));
}
