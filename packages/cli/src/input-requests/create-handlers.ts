// Handlers for input requests: a given answer, otherwise a prompt in the terminal, otherwise an error with instructions.
import type { Handlers, InputRequestContext } from "@lethe/client";
import type { ElicitFormParams, ElicitResult, Root } from "@lethe/protocol";
import { CommandError, exitCode } from "../exit-code.ts";
import { editorFrom } from "../terminal/editor.ts";
import { toPrintableLine } from "../terminal/printable.ts";
import { movesCursor, type Prompt, Refusal, type Terminal, withPrompt } from "../terminal/prompt.ts";
import type { Style } from "../terminal/style.ts";
import { askForm } from "./ask-form.ts";
import { askFormByKeys } from "./ask-form-by-keys.ts";
import { askRoots } from "./ask-roots.ts";
import { askSampling } from "./ask-sampling.ts";
import { askUrl } from "./ask-url.ts";
import type { GivenAnswers } from "./given-answers.ts";
import { unansweredForm, unansweredSampling, unansweredUrl } from "./unanswered.ts";

export interface HandlerOptions {
  /** Absent without a terminal. */
  readonly terminal: Terminal | undefined;
  readonly given: GivenAnswers;
  /** Disclosed without a prompt. */
  readonly roots: readonly Root[];
  readonly style: Style;
  /** Prints an input request and its given answer. */
  note(text: string): void;
  /** Called before a prompt; the returned function after it. */
  pause?(): () => void;
}

export function createHandlers({ terminal, given, roots, style, note, pause }: HandlerOptions): Handlers {
  let lastRequest: Promise<unknown> = Promise.resolve();

  /** Handles one request at a time, because there is one user. */
  function takeTurn<T>(context: InputRequestContext, run: () => Promise<T>): Promise<T> {
    const next = lastRequest.then(() => {
      note(`\n${toHeading(context, style)}`);
      const resume = pause?.();
      return run().finally(resume);
    });
    lastRequest = next.catch(() => {});
    return next;
  }

  function ask<T>(context: InputRequestContext, terminal: Terminal, use: (prompt: Prompt) => Promise<T>): Promise<T> {
    return takeTurn(context, () => withPrompt(terminal, context.signal, use));
  }

  function fillIn(context: InputRequestContext, terminal: Terminal, params: ElicitFormParams): Promise<ElicitResult> {
    if (!movesCursor(terminal)) return ask(context, terminal, (prompt) => askForm(prompt, params, style));
    const screen = { ...terminal, signal: context.signal, editor: editorFrom(process.env) };
    return takeTurn(context, () => askFormByKeys(screen, params, style));
  }

  function announce<T>(context: InputRequestContext, request: string, answer: T): T {
    note(style.dim(`${toHeading(context, style)} ${toPrintableLine(request)} → ${JSON.stringify(answer)}`));
    return answer;
  }

  const handlers: Handlers = {
    async elicit(params, context) {
      const answer = given.takeForm(params);
      if (answer) return announce(context, params.message, answer);
      if (!terminal) throw unansweredForm(params, given.misfitOf(params));
      return await fillIn(context, terminal, params).catch(toResult);
    },
    async elicitUrl(params, context) {
      const answer = given.takeUrl();
      if (answer) return announce(context, `${params.message} ${params.url}`, answer);
      if (!terminal) throw unansweredUrl(params);
      return await ask(context, terminal, (prompt) => askUrl(prompt, params, style)).catch(toResult);
    },
    async sample(params, context) {
      const answer = given.takeSampling();
      if (answer) return announce(context, "a sampling request", answer);
      if (!terminal) throw unansweredSampling(params);
      return await ask(context, terminal, (prompt) => askSampling(prompt, params, style)).catch(toFailure);
    },
  };
  if (roots.length > 0) handlers.roots = roots;
  else if (terminal) {
    handlers.roots = (context) => ask(context, terminal, (prompt) => askRoots(prompt, style)).catch(toNone);
  }
  return handlers;
}

/** E-89: names the server and the call. */
function toHeading({ server, method, target }: InputRequestContext, style: Style): string {
  return `${style.bold(toPrintableLine(server))} requests input for ${method} ${toPrintableLine(target)}:`;
}

/** Declining and cancelling are responses (E-87). */
function toResult(error: unknown): ElicitResult {
  if (error instanceof Refusal) return { action: error.action };
  throw error;
}

/** A sampling request has no such response, so the call ends (E-30). */
function toFailure(error: unknown): never {
  if (error instanceof Refusal) throw new CommandError("the sampling request was refused", exitCode.unanswered);
  throw error;
}

function toNone(error: unknown): Root[] {
  if (error instanceof Refusal) return [];
  throw error;
}
