// The ways in which an upstream can misbehave, and the transports over which it can. What each does is in behaviours.mjs.

export type Transport = "stdio" | "http";

const both: readonly Transport[] = ["stdio", "http"];

export const kinds: Readonly<Record<string, readonly Transport[]>> = {
  good: both,
  "duplicate-uris": both,
  "brace-template": both,
  "one-tool-name": both,
  "many-tools": both,
  "many-templates": both,
  churn: both,
  "list-changed-flood": both,
  "endless-pages": both,
  "null-items": both,
  "long-instructions": both,
  "cyclic-ref": both,
  "deep-schema": both,
  "deep-result": both,
  "deep-elicitation": ["stdio"],
  "odd-members": both,
  "wrong-ids": both,
  "answers-twice": ["stdio"],
  "progress-flood": both,
  "question-flood": ["stdio"],
  "ping-flood": ["stdio"],
  "long-line": ["stdio"],
  "data-lines": ["http"],
  "endless-body": ["http"],
  "slow-body": ["http"],
  "comment-flood": ["http"],
  "stderr-flood": ["stdio"],
  "stderr-lines": ["stdio"],
  "junk-flood": ["stdio"],
  silent: both,
  "silent-calls": both,
  "dies-at-once": ["stdio"],
  "dies-in-calls": ["stdio"],
  "fails-always": ["http"],
  "redirects-always": ["http"],
  "resets-always": ["http"],
};
