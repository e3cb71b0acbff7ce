// The handlers of a client for the input requests of servers (elicitation, sampling, roots), and the capabilities they imply.
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
  KnownOptions,
  Root,
} from "@lethe/protocol";

/** The origin of an input request, for the user who decides about it. */
export interface InputRequestContext {
  /** The URL or command of the server that asks. */
  readonly server: string;
  /** The method of the request that led to the input request. */
  readonly method: string;
  /** The tool, prompt or URI of that request. */
  readonly target: string;
  /**
   * False when an older server may have asked for another call of this client that was in progress at the same time. `method` and
   * `target` are then a guess. On stdio and HTTP+SSE such servers do not show which call asks.
   */
  readonly isCertain: boolean;
  /** The server's key of the input request. */
  readonly key: string;
  /** Aborted when the answer is not needed any more. */
  readonly signal: AbortSignal;
}

type Awaitable<T> = T | Promise<T>;

/** A client declares the capabilities of its handlers, and no others. A handler that throws fails the call. */
export interface Handlers {
  /** Shows a form to the user. Fields that the answer leaves out get the defaults of the form. */
  elicit?(params: ElicitFormParams, context: InputRequestContext): Awaitable<ElicitResult>;
  /**
   * Sends the user to a page. Show the whole URL, ask for consent, and open it where neither client nor model can read it.
   * Accepting means consent, not completion.
   */
  elicitUrl?(params: ElicitUrlParams, context: InputRequestContext): Awaitable<ElicitResult>;
  /**
   * Asks a model.
   *
   * @deprecated Revision 2026-07-28 deprecates sampling: servers call a model provider themselves. Servers that still sample need it.
   */
  sample?(params: CreateMessageParams, context: InputRequestContext): Awaitable<CreateMessageResult>;
  /**
   * The folders that a server may see, or a function that returns them.
   *
   * @deprecated Revision 2026-07-28 deprecates roots: servers take paths as arguments or from their configuration. Servers that still ask
   * for roots need it.
   */
  roots?: readonly Root[] | ((context: InputRequestContext) => Awaitable<readonly Root[]>);
}

export const knownHandlers: KnownOptions<Handlers> = { elicit: true, elicitUrl: true, sample: true, roots: true };

/** The capabilities of `handlers`. `more` adds others: extensions, experimental ones, `sampling.tools`. */
export function capabilitiesOf(handlers: Handlers, more: ClientCapabilities = {}): ClientCapabilities {
  const capabilities: ClientCapabilities = { ...more };
  const { elicit, elicitUrl, sample, roots } = handlers;
  if (elicit || elicitUrl) {
    capabilities.elicitation = { ...(elicit ? { form: {} } : {}), ...(elicitUrl ? { url: {} } : {}) };
  }
  if (sample) capabilities.sampling = { ...more.sampling };
  if (roots) capabilities.roots = { ...more.roots };
  return capabilities;
}
