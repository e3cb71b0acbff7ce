// Reads a journal while its handler runs again, and notes what the run adds to it and what it has not come to.
import { answerUnder, type JsonObject } from "@lethe/protocol";
import { InteractionError } from "./interaction-error.ts";
import type { AnswerEntry, AskedQuestion, Journal, JournalEntry, ValueEntry } from "./journal.ts";

/** An entry, with its place in the order in which entries are handed out; Infinity for what has none yet. */
export interface Placed<E> {
  readonly entry: E;
  readonly place: number;
}

export interface Replay {
  /** Throws InteractionError when another question was asked under this key. */
  findAnswer(key: string, digest: string): Placed<AnswerEntry> | undefined;
  findValue(kind: ValueEntry["kind"], key: string): Placed<ValueEntry> | undefined;
  /**
   * What the client sent for a question of the last round; undefined when nothing, or null. A client that sends no state
   * may answer whatever is asked: it knows the question from an earlier call, and its answer is checked like any other.
   */
  responseTo(key: string): unknown;
  /** Returns its place. */
  add(entry: JournalEntry): number;
  /** Everything from before and everything added. */
  entries(): readonly JournalEntry[];
  /** Keys of answered questions that this run has not asked. */
  unusedAnswers(): readonly string[];
}

/** `responses` are hostile; those whose key is not asked are ignored (E-29). */
export function createReplay(journal: Journal | undefined, responses: JsonObject | undefined): Replay {
  const before = journal?.entries ?? [];
  const placeByName = new Map(before.map((entry, place) => [nameOf(entry.kind, entry.key), place]));
  const askedByKey = new Map<string, AskedQuestion>();
  for (const asked of journal?.asked ?? []) if (asked.raw === undefined) askedByKey.set(asked.key, asked);
  const added: JournalEntry[] = [];
  const usedKeys = new Set<string>();

  function find(kind: JournalEntry["kind"], key: string): Placed<JournalEntry> | undefined {
    const place = placeByName.get(nameOf(kind, key));
    const entry = place === undefined ? undefined : before[place];
    return entry && place !== undefined ? { entry, place } : undefined;
  }

  function responseTo(key: string): unknown {
    const mayAnswer = journal === undefined || askedByKey.has(key);
    return mayAnswer ? answerUnder(key, responses) : undefined;
  }

  return {
    findAnswer(key, digest) {
      usedKeys.add(key);
      const found = find("answer", key) as Placed<AnswerEntry> | undefined;
      const expected = found?.entry.digest ?? askedByKey.get(key)?.digest;
      if (expected === undefined || expected === digest) return found;
      throw new InteractionError(`the question "${key}" is not the one that was asked before under this key`);
    },
    findValue: (kind, key) => find(kind, key) as Placed<ValueEntry> | undefined,
    responseTo,
    add: (entry) => before.length + added.push(entry) - 1,
    entries: () => [...before, ...added],
    unusedAnswers() {
      const answered = before.filter((entry) => entry.kind === "answer").map((entry) => entry.key);
      const answeredNow = [...askedByKey.keys()].filter((key) => responseTo(key) !== undefined);
      return [...answered, ...answeredNow].filter((key) => !usedKeys.has(key));
    },
  };
}

function nameOf(kind: JournalEntry["kind"], key: string): string {
  return `${kind}:${key}`;
}
