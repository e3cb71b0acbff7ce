// What a workload hands back: one section of the report, with the raw samples it is made of.
import { medianOf, medianRatio, type Sample } from "./statistics.ts";

export interface Column {
  /** The metric of a sample that this column shows. */
  metric: string;
  label: string;
  decimals: number;
  /** True when the column is also shown divided by the floor. */
  hasRatio?: boolean;
}

/** The samples of one contender, one per round, or why there are none. */
export interface Row {
  contender: string;
  samples: readonly Sample[];
  failure?: string;
}

export interface Section {
  id: string;
  title: string;
  columns: readonly Column[];
  rows: readonly Row[];
  notes: readonly string[];
  /** The row that the others are divided by, when it is not the usual one. */
  floor?: string;
}

export interface Summary {
  contender: string;
  failure?: string;
  medians: Record<string, number | undefined>;
  ratios: Record<string, number | undefined>;
}

export function summarise({ columns, rows, floor: own }: Section, floorName: string): Summary[] {
  const floor = rows.find((row) => row.contender === (own ?? floorName))?.samples ?? [];
  return rows.map(({ contender, samples, failure }) => ({
    contender,
    ...(failure === undefined ? {} : { failure }),
    medians: Object.fromEntries(columns.map(({ metric }) => [metric, medianOf(samples, metric)])),
    ratios: Object.fromEntries(
      columns.filter((column) => column.hasRatio).map(({ metric }) => [metric, medianRatio(samples, floor, metric)]),
    ),
  }));
}
