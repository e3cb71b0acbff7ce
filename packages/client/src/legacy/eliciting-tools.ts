// Knows which tools, prompts and resources of a legacy server may send elicitations, sampling or roots requests during a call. The
// operator states them, or they are learned from calls. They decide which calls wait for each other, never which caller gets a request.
import { type ClientCapabilities, isInputMethod, type ModernRequest, method } from "@lethe/protocol";
import { SparseMap } from "../call/sparse-collections.ts";

export interface ElicitingToolsOptions {
  /**
   * True for the tools and prompts (by name) and resources (by URI) that may request input during a call. Default: each of them
   * may, until a call of it has ended without a request of the server.
   */
  elicits?: (target: string) => boolean;
}

/**
 * none: the operator states that the tool sends no input requests. shared: the tool is not known to send any, or its caller accepts none.
 * exclusive: the call may ask its caller.
 */
export type Turn = "none" | "shared" | "exclusive";

/** The tool, prompt or resource of a request: the `name` or `uri` of its params. */
export interface CallTarget {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface ElicitingTools {
  turnOf(request: ModernRequest, capabilities: ClientCapabilities): Turn;
  /** Records whether a call sent an input request. One such call outweighs any number without one. */
  learn(request: CallTarget, hasAsked: boolean): void;
  isKnownToAsk(request: CallTarget): boolean;
  /** Called when a tool unexpectedly sent an input request: from now on any tool may. */
  distrust(): void;
}

/** The limit of remembered tools, and of prompts. Any other may ask. */
const maxKnown = 10_000;

export function createElicitingTools({ elicits }: ElicitingToolsOptions, hasRoots: boolean): ElicitingTools {
  const known = { tools: new SparseMap<string, boolean>(), others: new SparseMap<string, boolean>() };
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

/** With configured roots, roots requests do not reach the caller. */
function canBeAsked({ elicitation, sampling, roots }: ClientCapabilities, hasRoots: boolean): boolean {
  return elicitation !== undefined || sampling !== undefined || (roots !== undefined && !hasRoots);
}

function targetOf({ params }: CallTarget): string {
  return String(params.name ?? params.uri ?? "");
}

/** All resources share one entry, because there may be many and the same code serves them. */
function keyOf(request: CallTarget): string {
  return request.method === method.readResource ? "" : targetOf(request);
}
