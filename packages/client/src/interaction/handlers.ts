// What the host of a client does when a server asks something (E.3), and the capabilities that follow from it.
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
  Root,
} from "@lethe/protocol";

/** What a question is about, for the user who has to judge it (E-89). */
export interface InputRequestContext {
  /** The URL or command of the server that asks. */
  readonly server: string;
  /** The request that led to the question. */
  readonly method: string;
  /** The tool, the prompt or the URI in that request. */
  readonly target: string;
  /**
   * False when an older server may have asked for another call of this client, which was in progress at the same time:
   * `method` and `target` are then a guess. Such servers do not say which call asks on stdio and HTTP+SSE.
   */
  readonly isCertain: boolean;
  /** The server's name for the question. */
  readonly key: string;
  /** Aborted when nobody needs the answer any more. */
  readonly signal: AbortSignal;
}

type Awaitable<T> = T | Promise<T>;

/** A client offers its servers what it has handlers for, and nothing else. A handler that throws fails the call. */
export interface Handlers {
  /** A form for the user. Fields that the answer leaves out are filled with the question's defaults (E-88). */
  elicit?(params: ElicitFormParams, context: InputRequestContext): Awaitable<ElicitResult>;
  /**
   * A page for the user: show the whole address, ask for consent, and open it where neither client nor model can read
   * along (E-91). Accepting is consent, not completion.
   */
  elicitUrl?(params: ElicitUrlParams, context: InputRequestContext): Awaitable<ElicitResult>;
  sample?(params: CreateMessageParams, context: InputRequestContext): Awaitable<CreateMessageResult>;
  /** The folders a server may know of, or a function that decides. */
  roots?: readonly Root[] | ((context: InputRequestContext) => Awaitable<readonly Root[]>);
}

/** `more` adds what no handler shows: extensions, experiments, `sampling.tools`. */
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
