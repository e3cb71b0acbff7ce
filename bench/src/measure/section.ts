// The result of a workload: one section of the report with its raw samples.
import { medianOf, medianRatio, type Sample } from "./statistics.ts";

export interface Column {
  /** The metric of a sample that this column shows. */
  metric: string;
  label: string;
  decimals: number;
  /** True if the report also shows the ratio to the baseline. */
  hasRatio?: boolean;
}

/** The samples of one contender, one per round, or the reason of its failure. */
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
  /** The baseline row. Default: the baseline of the contenders. */
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
