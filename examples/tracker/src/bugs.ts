// The work items, in the memory of this process. A real tracker uses a database that its processes share.
import { z } from "zod";

export const resolutions = ["Fixed", "Won't Fix", "Duplicate", "By Design"] as const;

export const bugSchema = z.object({
  id: z.int(),
  title: z.string(),
  state: z.enum(["open", "resolved"]),
  resolution: z.enum(resolutions).optional(),
  duplicateOf: z.int().optional(),
});

export type Bug = z.infer<typeof bugSchema>;

export interface Bugs {
  all(): Bug[];
  find(id: number): Bug | undefined;
  /** Returns undefined if the bug does not exist. */
  resolve(id: number, outcome: Pick<Bug, "resolution" | "duplicateOf">): Bug | undefined;
}

const titles = [
  "The river floods the archive",
  "Names are forgotten too early",
  "Water from the archive's ceiling",
  "The ferryman accepts foreign coins",
];

/** `count` open bugs, numbered from 1. */
export function createBugs(count: number = titles.length): Bugs {
  const bugs = new Map<number, Bug>();
  for (let id = 1; id <= count; id++) {
    bugs.set(id, { id, title: titles[(id - 1) % titles.length] as string, state: "open" });
  }
  return {
    all: () => [...bugs.values()],
    find: (id) => bugs.get(id),
    resolve(id, outcome) {
      const bug = bugs.get(id);
      if (bug === undefined) return undefined;
      const resolved: Bug = { ...bug, ...outcome, state: "resolved" };
      bugs.set(id, resolved);
      return resolved;
    },
  };
}
