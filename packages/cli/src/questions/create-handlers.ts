// What the command does when a server asks: a given answer, else the person at the terminal, else an error that helps.
import type { Handlers, InputRequestContext } from "@lethe/client";
import type { ElicitResult, Root } from "@lethe/protocol";
import { CommandError, exitCode } from "../exit-code.ts";
import { toPrintableLine } from "../terminal/printable.ts";
import { type Prompt, Refusal, type Terminal, withPrompt } from "../terminal/prompt.ts";
import type { Style } from "../terminal/style.ts";
import { askForm } from "./ask-form.ts";
import { askRoots } from "./ask-roots.ts";
import { askSampling } from "./ask-sampling.ts";
import { askUrl } from "./ask-url.ts";
import type { GivenAnswers } from "./given-answers.ts";
import { unansweredForm, unansweredSampling, unansweredUrl } from "./unanswered.ts";

export interface HandlerOptions {
  /** Absent when nobody sits there. */
  readonly terminal: Terminal | undefined;
  readonly given: GivenAnswers;
  /** Told without asking. */
  readonly roots: readonly Root[];
  readonly style: Style;
  /** Shows what is asked and what a given answer says. */
  note(text: string): void;
}

export function createHandlers({ terminal, given, roots, style, note }: HandlerOptions): Handlers {
  let lastQuestion: Promise<unknown> = Promise.resolve();

  /** One question at a time: there is only one person. */
  function ask<T>(context: InputRequestContext, terminal: Terminal, use: (prompt: Prompt) => Promise<T>): Promise<T> {
    const next = lastQuestion.then(() => {
      note(`\n${toHeading(context, style)}`);
      return withPrompt(terminal, context.signal, use);
    });
    lastQuestion = next.catch(() => {});
    return next;
  }

  function announce<T>(context: InputRequestContext, question: string, answer: T): T {
    note(style.dim(`${toHeading(context, style)} ${toPrintableLine(question)} → ${JSON.stringify(answer)}`));
    return answer;
  }

  const handlers: Handlers = {
    async elicit(params, context) {
      const answer = given.takeForm(params);
      if (answer) return announce(context, params.message, answer);
      if (!terminal) throw unansweredForm(params, given.misfitOf(params));
      return await ask(context, terminal, (prompt) => askForm(prompt, params, style)).catch(toResult);
    },
    async elicitUrl(params, context) {
      const answer = given.takeUrl();
      if (answer) return announce(context, `${params.message} ${params.url}`, answer);
      if (!terminal) throw unansweredUrl(params);
      return await ask(context, terminal, (prompt) => askUrl(prompt, params, style)).catch(toResult);
    },
    async sample(params, context) {
      const answer = given.takeSampling();
      if (answer) return announce(context, "a model's answer", answer);
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

/** E-89: who asks, and in the course of what. */
function toHeading({ server, method, target }: InputRequestContext, style: Style): string {
  return `${style.bold(toPrintableLine(server))} asks before it answers ${method} ${toPrintableLine(target)}:`;
}

/** Declining and cancelling are answers (E-87). */
function toResult(error: unknown): ElicitResult {
  if (error instanceof Refusal) return { action: error.action };
  throw error;
}

/** There is no such answer to a sampling request: the call ends here (E-30). */
function toFailure(error: unknown): never {
  if (error instanceof Refusal) throw new CommandError("you did not answer for the model", exitCode.unanswered);
  throw error;
}

function toNone(error: unknown): Root[] {
  if (error instanceof Refusal) return [];
  throw error;
}
