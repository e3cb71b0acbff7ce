// One HTTP request, walked through the order of B-35 up to the Dispatch: who may call, which server is meant, who it is,
// what it brings, what it asks.
import {
  type Caller,
  errorCode,
  McpError,
  type ModernRequest,
  measureJson,
  method,
  type Result,
  sseKeepAlive,
} from "@lethe/protocol";
import type { Sender } from "../auth/sender.ts";
import { type Admission, admit, admitMessage, requestIdOf } from "./admit.ts";
import { acceptedAnswer, failedAnswer, type HttpAnswer, notFoundAnswer, toErrorAnswer, toRefusal } from "./answers.ts";
import { toCorsHeaders } from "./cors.ts";
import type { Guard } from "./guards.ts";
import { HttpExchange } from "./http-exchange.ts";
import { acceptsEventStream } from "./media-type.ts";
import { isMetadataPath, toMetadataAnswer } from "./metadata.ts";
import type { Route } from "./route.ts";
import { refuseBody, refuseVerb, toMemoryRefusal, toOptionsAnswer } from "./screen.ts";
import type { LegacyCall, Servable } from "./servable.ts";

/** Smaller bodies are not worth a look at what they take when they are parsed, in characters. */
const largeBody = 64 * 1024;

export abstract class HttpCall extends HttpExchange implements LegacyCall, Sender {
  /** Of a legacy request: its parsed body. */
  message: unknown = undefined;
  abstract readonly verb: string;
  abstract readonly url: string;
  abstract readonly remoteAddress: string | undefined;

  /** The address that counts for the limits per address: that of the client, as far as it is known. */
  protected abstract readonly clientAddress: string | undefined;

  /** Ends in `receive`, `receiveMessage` or `end`. */
  protected abstract readBody(): void;

  /** A connection that closes while the caller is not known yet ends the request, where the platform tells. */
  protected releaseOnClose(): void {}

  protected start(guard: Guard): void {
    try {
      const answer = this.#meet(guard);
      if (!answer) {
        const { memory } = this.edge.settings;
        if (memory.isTight) this.end(toErrorAnswer(memory.refuse(), undefined));
        else if (this.#isAddressAdmitted()) this.#authenticate();
      } else if (answer instanceof Promise) void answer.then((later) => this.end(later));
      else this.end(answer);
    } catch (error) {
      // Of a lookup, or of an authenticator, that others wrote.
      this.edge.settings.onError(error);
      this.end(failedAnswer);
    }
  }

  #meet(guard: Guard): HttpAnswer | Promise<HttpAnswer> | undefined {
    const { lookup, settings } = this.edge;
    const path = pathOf(this.url);
    if (isMetadataPath(path)) {
      const answer = toMetadataAnswer(lookup, { verb: this.verb, path, defaultPath: settings.path ?? "/" });
      if (answer) return answer;
    }
    const servable = lookup(path);
    const route = servable ? undefined : settings.routes?.(path);
    if (route?.isPublic) return this.#visit(route, guard);
    const origin = this.header("origin");
    const refusal = guard(this.header("host"), origin);
    if (refusal !== undefined) {
      settings.onRefused?.(refusal, this);
      return toRefusal(403, refusal);
    }
    if (origin !== undefined && settings.cors) this.corsHeaders = toCorsHeaders(origin);
    if (route) return this.#visit(route, guard);
    if (!servable) return notFoundAnswer;
    if (this.verb === "OPTIONS") return toOptionsAnswer(servable, this.headers, this.corsHeaders !== undefined);
    this.servable = servable;
    return undefined;
  }

  async #visit(route: Route, guard: Guard): Promise<HttpAnswer> {
    const { verb, url, headers, remoteAddress } = this;
    try {
      return await route.respond({ verb, url, headers, remoteAddress, isLoopback: guard === this.edge.loopbackGuard });
    } catch (error) {
      this.edge.settings.onError(error);
      return failedAnswer;
    }
  }

  /** Until the caller is known, and for good where there is no authentication, a request counts for its address. */
  #isAddressAdmitted(): boolean {
    const { addresses, receiving } = this.edge;
    const address = this.clientAddress;
    return this.countFor(address === undefined ? undefined : addresses.find(address), receiving);
  }

  #isCallerAdmitted(caller: Caller): boolean {
    const { callers, receiving } = this.edge;
    return this.countFor(callers.find(caller.id), receiving);
  }

  #authenticate(): void {
    const authenticator = this.#served.authenticator;
    if (!authenticator) this.#screen();
    else {
      this.signOfLife();
      this.releaseOnClose();
      authenticator.authenticate(this.header("authorization"), this).then(
        (caller) => {
          this.caller = caller;
          if (!this.isEnded && this.#isCallerAdmitted(caller)) this.#screen();
        },
        (error: unknown) => this.fail(error),
      );
    }
  }

  #screen(): void {
    const isPost = this.verb === "POST";
    const refusal =
      refuseVerb(this.verb, this.#served) ?? (isPost ? refuseBody(this.headers, this.edge.settings) : undefined);
    if (refusal) this.end(refusal);
    else if (isPost) this.#admitBody();
    else this.#passToLegacy(undefined);
  }

  /** The one place where a body begins to be read: from here on it costs memory. */
  #admitBody(): void {
    this.edge.bodies.add(this);
    this.readBody();
  }

  protected receive(text: string): void {
    if (text.length < largeBody || this.#isParsable(text)) this.#enter(admit(text, this, this.#served.legacy));
  }

  /** A text may take twenty times its size once it is parsed, and stays in memory as long as the request runs. */
  #isParsable(text: string): boolean {
    const { memory } = this.edge.settings;
    const bytes = text.length + measureJson(text).parsedBytes;
    if (bytes <= memory.hardBytes && !this.takeShare(bytes)) return false;
    if (this.holdRequest(bytes)) return true;
    if (bytes > memory.hardBytes) this.end(toMemoryRefusal(bytes, memory.hardBytes));
    else this.end(toErrorAnswer(memory.refuse(), undefined));
    return false;
  }

  /** For a body that a framework has parsed before. */
  protected receiveMessage(message: unknown): void {
    this.#enter(admitMessage(message, this, this.#served.legacy));
  }

  #enter(admission: Admission): void {
    if (admission.kind === "request") this.#accept(admission.request);
    else if (admission.kind === "refused") this.end(admission.answer);
    else if (admission.kind === "notification") this.end(acceptedAnswer);
    else this.#passToLegacy(admission.message);
  }

  #accept(request: ModernRequest): void {
    this.id = request.id;
    this.isOpenEnded = request.method === method.listen;
    if (!(this.isOpenEnded ? this.#mayListen() : this.takeSlot(this.edge.requests))) return;
    this.signOfLife();
    void this.#conclude(this.#dispatch(request));
  }

  /** A subscription is nothing without a stream. */
  #mayListen(): boolean {
    if (acceptsEventStream(this.header("accept"))) return this.takeSlot(this.edge.streams);
    const error = new McpError(errorCode.invalidRequest, `${method.listen} needs Accept: text/event-stream`);
    this.end(toErrorAnswer(error, this.id, { status: 406 }));
    return false;
  }

  #dispatch(request: ModernRequest): Promise<Result> {
    try {
      return this.#served.dispatch(request, this);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Apart from the dispatching, so that nothing here holds the request while it runs: a stream may run for days. */
  async #conclude(running: Promise<Result>): Promise<void> {
    try {
      this.finish(await running);
    } catch (error) {
      this.fail(error);
    }
  }

  /** From here on the legacy edge keeps the time: a call of an older era outlives its connection (J-50). */
  #passToLegacy(message: unknown): void {
    this.message = message;
    this.id = requestIdOf(message);
    if (!this.takeSlot(this.edge.requests)) return;
    this.isOpenEnded = true;
    this.onAbort(() => this.settle());
    this.#served.legacy?.receive(this);
  }

  get isSlow(): boolean {
    return this.heldBytes > this.edge.settings.maxBufferedBytes;
  }

  answer(answer: HttpAnswer): void {
    this.end(answer);
  }

  beginStream(isLasting = false): boolean {
    if (this.isEnded || this.isGone) return false;
    if (isLasting && !this.takeSlot(this.edge.streams)) return false;
    this.startStream();
    // Its head would otherwise wait for the first event.
    if (isLasting) this.write(sseKeepAlive);
    return true;
  }

  send(text: string): boolean {
    return this.isEnded || this.isGone || this.write(text);
  }

  endStream(): void {
    if (this.isEnded) return;
    if (!this.isGone) this.closeStream("");
    this.settle();
  }

  get #served(): Servable {
    return this.servable as Servable;
  }
}

function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}
