// What comes before every upstream was read once: it waits for what it asks for, but not for ever. Else the first to ask
// would be told that there are no tools, which is true for a moment and kept for long.
import { type Dispatch, type ModernRequest, method } from "@lethe/protocol";
import type { CatalogView } from "../catalog/catalog-view.ts";
import { within } from "../upstream/within.ts";

/** Undefined when it is over. Never rejects. */
export type Beginning = () => Promise<void> | undefined;

/** Over when `started` settles, or after `waitMs`. */
export function createBeginning(started: Promise<void>, waitMs: number): Beginning {
  const end = () => {
    beginning = undefined;
  };
  let beginning: Promise<void> | undefined = within(waitMs, started, () => new Error("late")).then(end, end);
  return () => beginning;
}

export interface BeginningOptions {
  readonly beginning: Beginning;
  readonly view: CatalogView;
}

export function afterBeginning(dispatch: Dispatch, { beginning, view }: BeginningOptions): Dispatch {
  return (request, exchange) => {
    const running = beginning();
    if (running === undefined || view.isComplete || isKnown(view, request)) return dispatch(request, exchange);
    return running.then(() => dispatch(request, exchange));
  };
}

/** No upstream that is slow keeps another's tools waiting. */
function isKnown({ current }: CatalogView, { method: requested, params }: ModernRequest): boolean {
  if (requested === method.callTool) return current.toolRoutes.has(String(params.name));
  return requested === method.getPrompt && current.promptRoutes.has(String(params.name));
}
