// What a report does to the world: every effect is a line of a file, so that anybody can count them.
import { appendFile, readFile } from "node:fs/promises";

export interface Press {
  typeset(work: { title: string; chapter: number }): Promise<void>;
  /** Gives the number of the issue. */
  print(work: { title: string; chapters: number }): Promise<number>;
}

export function createFilePress(path: string): Press {
  const append = (effect: object) => appendFile(path, `${JSON.stringify(effect)}\n`);
  return {
    typeset: (work) => append({ effect: "typeset", ...work }),
    async print(work) {
      await append({ effect: "print", ...work });
      const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
      return lines.filter((line) => line.includes('"print"')).length;
    },
  };
}
