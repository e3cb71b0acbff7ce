// The matrix of docs/extensions.md: each extension, on each side, in each revision, is one cell, and each cell is a test.

/** The revisions of the columns. */
export const revisions = ["2026-07-28", "2025-11-25"] as const;
export type Revision = (typeof revisions)[number];

/** Where Lethe has the extension, in the order of the document. */
export const sides = ["server", "client", "merged gateway", "single gateway"] as const;
export type Side = (typeof sides)[number];

/** One side of one extension. */
export interface Cell {
  /** What the test does, for the document: with which counterpart, and what it checks. */
  readonly shows: string;
  /** Rejects if the extension does not work between peers of this revision. */
  run(revision: Revision): Promise<void>;
}

/** An extension whose peers are running. */
export interface Extension {
  readonly name: string;
  readonly id: string;
  readonly cells: Readonly<Record<Side, Cell>>;
}
