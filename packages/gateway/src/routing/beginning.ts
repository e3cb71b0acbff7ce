// What comes before every upstream was read once: it waits for what it asks for, but not for ever. Else the first to ask
// would be told that there are no tools, which is true for a moment and kept for long.
import { type Dispatch, type ModernRequest, method } from "@lethe/protocol";
import type { CatalogView } from "../catalog/catalog-view.ts";
import { within } from "../upstream/within.ts";

export interface Beginning {
  readonly isOver: boolean;
  /** Never rejects. */
  readonly over: Promise<void>;
}

/** Over when `started` settles, or after `waitMs`. */
export function createBeginning(started: Promise<void>, waitMs: number): Beginning {
  const end = () => {
    beginning.isOver = true;
  };
  const over = within(waitMs, started, () => new Error("late")).then(end, end);
  const beginning = { isOver: false, over };
  return beginning;
}

export interface BeginningOptions {
  /** Undefined as long as nothing is started. */
  beginning(): Beginning | undefined;
  readonly view: CatalogView;
  /** What answers in place of this endpoint, when its upstream has been configured anew. Default: nothing. */
  successor?(): Dispatch | undefined;
}

export function afterBeginning(dispatch: Dispatch, options: BeginningOptions): Dispatch {
  const { view } = options;
  return (request, exchange) => {
    const beginning = options.beginning();
    if (!beginning || beginning.isOver || view.isComplete || isKnown(view, request)) return dispatch(request, exchange);
    return beginning.over.then(() => (options.successor?.() ?? dispatch)(request, exchange));
  };
}

/** No upstream that is slow keeps another's tools waiting. */
function isKnown({ current }: CatalogView, { method: requested, params }: ModernRequest): boolean {
  if (requested === method.callTool) return current.toolRoutes.has(String(params.name));
  return requested === method.getPrompt && current.promptRoutes.has(String(params.name));
}
