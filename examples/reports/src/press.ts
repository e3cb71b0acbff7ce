// The effects of a report: each effect is one line of a file, so that they can be counted.
import { appendFile, readFile } from "node:fs/promises";

export interface Press {
  typeset(work: { title: string; chapter: number }): Promise<void>;
  /** Returns the number of the issue. */
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
