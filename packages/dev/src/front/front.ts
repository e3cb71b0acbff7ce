// The server that clients see while its code is replaced. It keeps the sessions of older clients, and open subscriptions.
import {
  type Dispatch,
  type Exchange,
  type Implementation,
  type ModernRequest,
  method,
  onAbort,
  type Result,
} from "@lethe/protocol";
import type { Authenticator } from "@lethe/server/auth";
import { createLegacyEdge, type LegacyEdge } from "@lethe/server/edge";
import type { Servable } from "@lethe/server/node";
import type { KeyRing } from "@lethe/server/stores";
import type { ListKind } from "../channel/runner-messages.ts";
import type { LoadedCode } from "../process/loaded-code.ts";
import { type CallReport, outcomeOfError, outcomeOfResult, toCallReport } from "./call-report.ts";
import { createFrontAuthenticator } from "./front-authenticator.ts";
import { LastingSubscription } from "./lasting-subscription.ts";

type CallbackEdge = NonNullable<Servable["callbacks"]>;

export interface FrontOptions {
  readonly code: LoadedCode;
  /** Seals the sessions of older clients. */
  readonly ring: KeyRing;
  onCall(report: CallReport): void;
}

export class Front implements Servable {
  /** One object, which the legacy edge keeps: its members follow the code. */
  readonly info: Implementation;
  readonly legacy: LegacyEdge | undefined;
  readonly #onCall: FrontOptions["onCall"];
  readonly #subscriptions = new Set<LastingSubscription>();
  #code: LoadedCode;
  /** Other than `#code` only after its process has crashed. */
  #next: Promise<LoadedCode>;
  #authenticator: Authenticator | undefined;

  constructor({ code, ring, onCall }: FrontOptions) {
    this.#code = code;
    this.#next = Promise.resolve(code);
    this.#onCall = onCall;
    this.info = { ...code.facts.info };
    this.#authenticator = this.#toAuthenticator();
    const { legacyOptions } = code.facts;
    this.legacy = createLegacyEdge(
      { dispatch: (...call) => this.dispatch(...call), info: this.info, ring },
      legacyOptions,
    );
  }

  get authenticator(): Authenticator | undefined {
    return this.#authenticator;
  }

  get callbacks(): CallbackEdge | undefined {
    const { callbackPath: path } = this.#code.facts;
    if (path === undefined) return undefined;
    return { path, complete: (token, body) => this.#code.ask("completeCallback", { token, body }) };
  }

  readonly dispatch: Dispatch = async (request, exchange) => {
    const begun = performance.now();
    let isAborted = false;
    onAbort(exchange, () => {
      isAborted = true;
    });
    try {
      const result = await this.#answer(request, exchange);
      this.#onCall(toCallReport(request, performance.now() - begun, outcomeOfResult(result)));
      return result;
    } catch (error) {
      this.#onCall(toCallReport(request, performance.now() - begun, outcomeOfError(error, isAborted)));
      throw error;
    }
  };

  /** New requests go to `code`. Returns the lists that differ. */
  replace(code: LoadedCode): ListKind[] {
    const changed = changedLists(this.#code, code);
    this.#code = code;
    this.#next = Promise.resolve(code);
    for (const name of Object.keys(this.info)) delete (this.info as unknown as Record<string, unknown>)[name];
    Object.assign(this.info, code.facts.info);
    this.#authenticator = this.#toAuthenticator();
    for (const subscription of this.#subscriptions) subscription.attach(code.dispatch, changed);
    return changed;
  }

  /** The process of the code has crashed: requests wait for the next one, or fail with its error. */
  await(next: Promise<LoadedCode>): void {
    this.#next = next;
    next.catch(() => {});
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close();
  }

  async #answer(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const code = await this.#next;
    if (request.method !== method.listen) return code.dispatch(request, exchange);
    const subscription = new LastingSubscription(request, exchange);
    this.#subscriptions.add(subscription);
    subscription.attach(code.dispatch);
    return subscription.ended.finally(() => this.#subscriptions.delete(subscription));
  }

  #toAuthenticator(): Authenticator | undefined {
    const { authenticator } = this.#code.facts;
    return (
      authenticator &&
      createFrontAuthenticator(authenticator, async (...question) => (await this.#next).ask(...question))
    );
  }
}

/** A list that depends on its caller may have changed for some caller. */
function changedLists(before: Pick<LoadedCode, "facts">, after: Pick<LoadedCode, "facts">): ListKind[] {
  const [old, now] = [before.facts.lists, after.facts.lists];
  return (Object.keys(now) as ListKind[]).filter((kind) => {
    const { digest } = now[kind];
    return digest === undefined || digest !== old[kind].digest;
  });
}
