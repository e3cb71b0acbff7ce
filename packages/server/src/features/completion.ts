// Completion of prompt arguments and template variables (E-60).
import { type Caller, type CompleteResult, maxCompletionValues } from "@lethe/protocol";

export interface CompletionContext {
  /** The arguments that the user has already entered, by name. */
  readonly arguments: { readonly [name: string]: string };
  readonly caller: Caller | undefined;
  readonly signal: AbortSignal;
}

/** All candidates, best first, or the first ones with their total. At most 100 are sent. */
export type Completions = readonly string[] | { readonly values: readonly string[]; readonly total?: number };

/** Returns completions for the typed beginning of a value. `context` has the values of the other arguments. */
export type Completer = (value: string, context: CompletionContext) => Completions | Promise<Completions>;

/** Throws an Error for a completer of an unknown argument or variable. */
export function toCompleters(
  complete: { readonly [name: string]: Completer | undefined } | undefined,
  names: readonly string[],
): ReadonlyMap<string, Completer> {
  const completers = new Map<string, Completer>();
  for (const [name, completer] of Object.entries(complete ?? {})) {
    if (!names.includes(name)) throw new Error(`"${name}" is none of ${names.map((known) => `"${known}"`).join(", ")}`);
    if (completer) completers.set(name, completer);
  }
  return completers;
}

export function toCompleteResult(completions: Completions): CompleteResult {
  const { values, total } = isList(completions) ? { values: completions, total: completions.length } : completions;
  const sent = values.slice(0, maxCompletionValues);
  const hasMore = (total ?? values.length) > sent.length;
  return { resultType: "complete", completion: { values: sent, ...(total !== undefined && { total }), hasMore } };
}

/** Array.isArray does not narrow a readonly array. */
function isList(completions: Completions): completions is readonly string[] {
  return Array.isArray(completions);
}
