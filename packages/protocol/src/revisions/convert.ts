// Converts between the model and revisions without a handshake. Requests of the model's own revision are not converted.
import type { Caller, Dispatch, Exchange, HeaderReader } from "../dispatch/dispatch.ts";
import { onAbort } from "../dispatch/dispatch.ts";
import { isMcpError } from "../jsonrpc/error.ts";
import type { JsonRpcNotification } from "../jsonrpc/message.ts";
import { clientCapabilitiesOf, type ModernRequest, protocolVersionOf } from "../meta/envelope.ts";
import { metaKey, modelRevision } from "../meta/keys.ts";
import type { Result } from "../meta/result.ts";
import { findRevision } from "./find-revision.ts";
import type { Revision } from "./revision.ts";

/** The revision that the envelope of a request names; undefined if that is the model's revision, or unknown. */
export function otherRevisionOf(request: ModernRequest): Revision | undefined {
  const name = protocolVersionOf(request);
  return name === modelRevision ? undefined : findRevision(name);
}

/** A client's request in the form of the model: `request` itself if its revision is the model's. */
export function toModelRequest(request: ModernRequest): ModernRequest {
  const revision = otherRevisionOf(request);
  return revision ? convertRequest(revision, request) : request;
}

function convertRequest(revision: Revision, request: ModernRequest): ModernRequest {
  const { method } = request;
  const params = revision.fromClientParams(method, request.params, { capabilities: clientCapabilitiesOf(request) });
  return {
    ...request,
    params: { ...params, _meta: { ...params._meta, [metaKey.protocolVersion]: modelRevision } },
  };
}

/** Runs a client's request on a target that speaks the model, and converts what the target answers. */
export function dispatchRequest(
  target: { readonly dispatch: Dispatch },
  request: ModernRequest,
  exchange: Exchange,
): Promise<Result> {
  const revision = otherRevisionOf(request);
  return revision ? dispatchIn(revision, target, request, exchange) : target.dispatch(request, exchange);
}

async function dispatchIn(
  revision: Revision,
  target: { readonly dispatch: Dispatch },
  request: ModernRequest,
  exchange: Exchange,
): Promise<Result> {
  const { method } = request;
  const converting = new ConvertingExchange(exchange, revision.toClientNotification);
  try {
    const result = await target.dispatch(convertRequest(revision, request), converting);
    return revision.toClientResult(method, result) as Result;
  } catch (error) {
    throw isMcpError(error) ? revision.toClientError(method, error) : error;
  }
}

/** Converts each notification before `exchange` sends it. */
export class ConvertingExchange implements Exchange {
  readonly #exchange: Exchange;
  readonly #convert: (notification: JsonRpcNotification) => JsonRpcNotification;

  constructor(exchange: Exchange, convert: (notification: JsonRpcNotification) => JsonRpcNotification) {
    this.#exchange = exchange;
    this.#convert = convert;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  get caller(): Caller | undefined {
    return this.#exchange.caller;
  }

  get conversation(): string | undefined {
    return this.#exchange.conversation;
  }

  get isAnonymous(): boolean | undefined {
    return this.#exchange.isAnonymous;
  }

  get keepsState(): boolean | undefined {
    return this.#exchange.keepsState;
  }

  get headers(): HeaderReader | undefined {
    return this.#exchange.headers;
  }

  onAbort(callback: () => void): void {
    onAbort(this.#exchange, callback);
  }

  notify(notification: JsonRpcNotification): boolean {
    return this.#exchange.notify(this.#convert(notification));
  }

  drained(): Promise<void> {
    return this.#exchange.drained();
  }

  answeredBy(worker: number): void {
    this.#exchange.answeredBy?.(worker);
  }
}
