// Measures the installed size of each contender.
import { fileURLToPath } from "node:url";
import { measureInstalled } from "../measure/installed-size.ts";
import type { Column, Row } from "../measure/section.ts";
import type { Workload } from "./workload.ts";

const columns: readonly Column[] = [
  { metric: "packages", label: "packages", decimals: 0 },
  { metric: "megabytes", label: "MB", decimals: 1 },
];

export const sizeWorkload: Workload = {
  id: "size",
  isMain: true,
  async run({ contenders, progress }) {
    const from = fileURLToPath(new URL("..", import.meta.url));
    const rows = contenders.flatMap(({ name, packages }): Row[] => {
      if (!packages) return [];
      progress(name);
      try {
        const { packages: count, bytes } = measureInstalled(packages, from);
        return [{ contender: name, samples: [{ packages: count, megabytes: bytes / 1e6 }] }];
      } catch (error) {
        return [{ contender: name, samples: [], failure: (error as Error).message }];
      }
    });
    return { id: "size", title: "installed size", columns, rows, notes: [] };
  },
};
