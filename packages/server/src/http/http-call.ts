// One HTTP request, walked through the order of B-35 up to the Dispatch: who may call, which server is meant, who it is,
// what it brings, what it asks.
import { errorCode, McpError, type ModernRequest, method, type Result } from "@lethe/protocol";
import { type Admission, admit, admitMessage } from "./admit.ts";
import { acceptedAnswer, failedAnswer, type HttpAnswer, notFoundAnswer, toErrorAnswer, toRefusal } from "./answers.ts";
import { toCorsHeaders } from "./cors.ts";
import type { Guard } from "./guards.ts";
import { HttpExchange } from "./http-exchange.ts";
import { acceptsEventStream } from "./media-type.ts";
import { isMetadataPath, toMetadataAnswer } from "./metadata.ts";
import type { Route } from "./route.ts";
import { refuseBody, refuseVerb, toOptionsAnswer } from "./screen.ts";
import type { Servable } from "./servable.ts";

export abstract class HttpCall extends HttpExchange {
  /** May last and be silent as long as it likes: a subscription (E-18), and whatever a legacy edge answers. */
  protected isOpenEnded = false;

  protected abstract readonly verb: string;
  /** Path and query. */
  protected abstract readonly url: string;
  /** Ends in `receive`, `receiveMessage` or `end`. */
  protected abstract readBody(): void;
  protected abstract sendResponse(response: Response): void;

  protected start(guard: Guard): void {
    const answer = this.#meet(guard);
    if (!answer) {
      if (this.takePlace(this.edge.requests)) this.#authenticate();
    } else if (answer instanceof Promise) void answer.then((later) => this.end(later));
    else this.end(answer);
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
    if (refusal !== undefined) return toRefusal(403, refusal);
    if (origin !== undefined && settings.cors) this.corsHeaders = toCorsHeaders(origin);
    if (route) return this.#visit(route, guard);
    if (!servable) return notFoundAnswer;
    if (this.verb === "OPTIONS") return toOptionsAnswer(servable, this.headers, this.corsHeaders !== undefined);
    this.servable = servable;
    return undefined;
  }

  async #visit(route: Route, guard: Guard): Promise<HttpAnswer> {
    const { verb, url, headers } = this;
    try {
      return await route.respond({ verb, url, headers, isLoopback: guard === this.edge.loopbackGuard });
    } catch (error) {
      this.edge.settings.onError(error);
      return failedAnswer;
    }
  }

  #authenticate(): void {
    const authenticator = this.#served.authenticator;
    if (!authenticator) this.#screen();
    else {
      authenticator.authenticate(this.header("authorization")).then(
        (caller) => {
          this.caller = caller;
          if (!this.isEnded) this.#screen();
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
    else if (isPost) this.readBody();
    else this.#passToLegacy(undefined);
  }

  protected receive(text: string): void {
    this.#enter(admit(text, this.headers, this.#served.legacy));
  }

  /** For a body that a framework has parsed before. */
  protected receiveMessage(message: unknown): void {
    this.#enter(admitMessage(message, this.headers, this.#served.legacy));
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
    if (this.isOpenEnded && !this.#mayListen()) return;
    this.signOfLife();
    void this.#conclude(this.#dispatch(request));
  }

  /** A subscription is nothing without a stream. */
  #mayListen(): boolean {
    if (acceptsEventStream(this.header("accept"))) return this.#takeStreamPlace();
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

  #passToLegacy(message: unknown): void {
    this.isOpenEnded = true;
    if (this.verb === "GET" && !this.#takeStreamPlace()) return;
    const { verb, url, headers, caller, signal } = this;
    this.#served.legacy?.respond({ verb, url, message, headers, caller, signal }).then(
      (response) => {
        if (!this.isEnded) this.sendResponse(this.corsHeaders ? withHeaders(response, this.corsHeaders) : response);
      },
      (error: unknown) => this.fail(error),
    );
  }

  #takeStreamPlace(): boolean {
    this.leavePlace();
    return this.takePlace(this.edge.streams);
  }

  get #served(): Servable {
    return this.servable as Servable;
  }
}

/** A copy, because the headers of some responses are immutable. */
function withHeaders(response: Response, more: Readonly<Record<string, string>>): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}

function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}
