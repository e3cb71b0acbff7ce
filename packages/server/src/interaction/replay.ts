// Replays a journal, and records new entries and those that the run has not reached.
import { answerUnder, type JsonObject } from "@lethe/protocol";
import { InteractionError } from "./interaction-error.ts";
import type { AnswerEntry, Journal, JournalEntry, SentInputRequest, ValueEntry } from "./journal.ts";
import { listLabels, replayAdvice } from "./step-label.ts";

/** An entry with its position in the journal; Infinity for a new one. */
export interface Placed<E> {
  readonly entry: E;
  readonly place: number;
}

export interface Replay {
  /** Throws an InteractionError if the key belongs to another request. */
  findAnswer(key: string, digest: string, label: string): Placed<AnswerEntry> | undefined;
  findValue(kind: ValueEntry["kind"], key: string): Placed<ValueEntry> | undefined;
  /**
   * The client's response to a request of the last round; undefined without one, or for null. A client without a state
   * may send responses too: it knows the requests from an earlier call, and they are validated like others.
   */
  responseTo(key: string): unknown;
  /** Returns the position. */
  add(entry: JournalEntry): number;
  /** All old and new entries. */
  entries(): readonly JournalEntry[];
  /** Answered requests that this run has not repeated. */
  unusedAnswers(): readonly UnusedAnswer[];
}

export interface UnusedAnswer {
  readonly label: string;
  /** The place of the request among all answered ones, from 1. */
  readonly position: number;
}

/** `responses` are untrusted; unknown keys are ignored. */
export function createReplay(journal: Journal | undefined, responses: JsonObject | undefined): Replay {
  const before = journal?.entries ?? [];
  const placeByName = new Map(before.map((entry, place) => [nameOf(entry.kind, entry.key), place]));
  const askedByKey = new Map<string, SentInputRequest>();
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
    findAnswer(key, digest, label) {
      usedKeys.add(key);
      const found = find("answer", key) as Placed<AnswerEntry> | undefined;
      const expected = found?.entry.digest ?? askedByKey.get(key)?.digest;
      if (expected === undefined || expected === digest) return found;
      const before = found?.entry.label ?? askedByKey.get(key)?.label ?? `key "${key}"`;
      throw new InteractionError(
        `${label} was requested under the key of an earlier request with other content, ${before}. ${replayAdvice}`,
      );
    },
    findValue: (kind, key) => find(kind, key) as Placed<ValueEntry> | undefined,
    responseTo,
    add: (entry) => before.length + added.push(entry) - 1,
    entries: () => [...before, ...added],
    unusedAnswers() {
      const answered = before.filter((entry) => entry.kind === "answer");
      const answeredNow = [...askedByKey.values()].filter(({ key }) => responseTo(key) !== undefined);
      const all = [...answered, ...answeredNow].map(({ key, label = `key "${key}"` }, index) => {
        return { key, label, position: index + 1 };
      });
      return all.filter(({ key }) => !usedKeys.has(key));
    },
  };
}

/** The error of a run that makes other requests than the answered ones. Its arguments are labels, and at least one unused answer. */
export function differentReplay(asked: readonly string[], unused: readonly UnusedAnswer[]): InteractionError {
  const before = listLabels(unused.map(({ label }) => label));
  const place = `request ${unused[0]?.position} of the call`;
  return new InteractionError(
    `${listLabels(asked)} was requested where ${before} had been requested before (${place}). ${replayAdvice}`,
  );
}

function nameOf(kind: JournalEntry["kind"], key: string): string {
  return `${kind}:${key}`;
}
