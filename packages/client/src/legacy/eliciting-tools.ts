// Which tools, prompts and resources of a legacy server ask something while they are called: stated by the operator, else
// learned from their calls. What was learned decides which calls wait for each other, never whose a request is.
import { type ClientCapabilities, isInputMethod, type ModernRequest, method } from "@lethe/protocol";

export interface ElicitingToolsOptions {
  /**
   * True for the tools and prompts (by name) and resources (by URI) that may ask something while they are called. Default:
   * each of them may, until a call of it has ended without a request of the server.
   */
  elicits?: (target: string) => boolean;
}

/**
 * none: never asks, by the word of the operator. shared: is not known to ask, or its caller cannot be asked. exclusive: may
 * ask its caller.
 */
export type Turn = "none" | "shared" | "exclusive";

/** The tool, prompt or resource of a request: the `name` or `uri` of its params. */
export interface CallTarget {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface ElicitingTools {
  turnOf(request: ModernRequest, capabilities: ClientCapabilities): Turn;
  /** Whether a call of it has asked. That one has outweighs any number that have not. */
  learn(request: CallTarget, hasAsked: boolean): void;
  isKnownToAsk(request: CallTarget): boolean;
  /** A tool has asked that should not: from now on each may. */
  distrust(): void;
}

/** So many tools are remembered, and so many prompts; any other may ask. */
const maxKnown = 10_000;

export function createElicitingTools({ elicits }: ElicitingToolsOptions, hasRoots: boolean): ElicitingTools {
  const known = { tools: new Map<string, boolean>(), others: new Map<string, boolean>() };
  let stated = elicits;

  const mapOf = ({ method: called }: CallTarget) => (called === method.callTool ? known.tools : known.others);
  const isKnown = (request: CallTarget) => mapOf(request).get(keyOf(request));

  return {
    turnOf(request, capabilities) {
      if (!isInputMethod(request.method)) return "none";
      if (stated && !stated(targetOf(request))) return "none";
      if (!canBeAsked(capabilities, hasRoots)) return "shared";
      return stated || isKnown(request) !== false ? "exclusive" : "shared";
    },
    learn(request, hasAsked) {
      const before = isKnown(request);
      const map = mapOf(request);
      if (before === true || before === hasAsked || (before === undefined && map.size >= maxKnown)) return;
      map.set(keyOf(request), hasAsked);
    },
    isKnownToAsk: (request) => stated?.(targetOf(request)) || isKnown(request) === true,
    distrust() {
      stated = undefined;
    },
  };
}

/** Configured roots answer the server without the caller. */
function canBeAsked({ elicitation, sampling, roots }: ClientCapabilities, hasRoots: boolean): boolean {
  return elicitation !== undefined || sampling !== undefined || (roots !== undefined && !hasRoots);
}

function targetOf({ params }: CallTarget): string {
  return String(params.name ?? params.uri ?? "");
}

/** Resources are too many, and made by the same code: they are known together. */
function keyOf(request: CallTarget): string {
  return request.method === method.readResource ? "" : targetOf(request);
}
