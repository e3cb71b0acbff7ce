// By what processes know, before they say anything to each other, whether they open what the other one seals.
import { createHash } from "node:crypto";
import type { KeyRing } from "@lethe/server/stores";

export interface KeyMarks {
  /** One mark of each key, that of the one that seals first. It tells nothing of the keys. */
  readonly own: string;
  /** Whether each opens what the other one seals, by the marks of the other. */
  fit(others: string): boolean;
}

const markBytes = 9;

export async function createKeyMarks({ keys }: KeyRing): Promise<KeyMarks> {
  const marks: string[] = [];
  for (const { id, derive } of keys) {
    const digest = createHash("sha256")
      .update(await derive("lethe marks 1"))
      .update(id)
      .digest();
    marks.push(digest.subarray(0, markBytes).toString("base64url"));
  }
  return {
    own: marks.join(),
    fit(others) {
      const theirs = others.split(",");
      return marks.includes(theirs[0] as string) && theirs.includes(marks[0] as string);
    },
  };
}
