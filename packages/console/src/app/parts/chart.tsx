// A time series drawn by uPlot: as a line in a table cell, or with axes and values under the pointer.
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useThemeVersion } from "./theme.ts";

export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** The name of a custom property of CSS, such as `--accent`. */
  readonly color: string;
  readonly format?: (value: number) => string;
  readonly isBar?: boolean;
}

export interface ChartProps {
  /** In seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height: number;
  /** Without axes, grid and values. */
  readonly isSpark?: boolean;
  /** What the chart shows, for people who do not see it. */
  readonly label: string;
}

export function Chart({ times, series, height, isSpark = false, label }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const theme = useThemeVersion();
  const shape = series.map((one) => `${one.label}${one.color}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the plot is rebuilt only when its look changes, not for each value.
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const created = new uPlot(toOptions(element, series, height, isSpark), toData(times, series), element);
    plot.current = created;
    const observer = new ResizeObserver(() => created.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
    };
  }, [shape, height, isSpark, theme]);

  useEffect(() => {
    plot.current?.setData(toData(times, series));
  }, [times, series]);

  return (
    <div
      className={isSpark ? "chart chart-spark" : "chart"}
      ref={host}
      role="img"
      aria-label={label}
      data-height={height}
    />
  );
}

function toData(times: readonly number[], series: readonly Series[]): uPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])] as uPlot.AlignedData;
}

/** 1, 2 and 5 times the powers of ten: no fractions of requests. */
const increments = Array.from({ length: 30 }, (_, index) => [1, 2, 5][index % 3] as number).map(
  (step, index) => step * 10 ** Math.floor(index / 3),
);

function toClock(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}

function toOptions(element: HTMLElement, series: readonly Series[], height: number, isSpark: boolean): uPlot.Options {
  const style = getComputedStyle(element);
  const colorOf = (name: string) => style.getPropertyValue(name).trim();
  const grid = { stroke: colorOf("--line"), width: 1 };
  const axis = { stroke: colorOf("--muted"), grid, ticks: { show: false }, font: `11px ${style.fontFamily}` };
  const format = series[0]?.format;
  return {
    width: Math.max(40, element.clientWidth),
    height,
    // The last label of the time axis is centred at its tick, which may be at the edge.
    padding: isSpark ? [2, 1, 2, 1] : [8, 20, 0, 0],
    legend: { show: !isSpark, live: true },
    cursor: isSpark ? { show: false } : { points: { size: 6 }, drag: { x: false, y: false } },
    scales: { x: { time: true }, y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: isSpark
      ? [{ show: false }, { show: false }]
      : [
          { ...axis, size: 28, space: 64, values: (_plot, seconds) => seconds.map(toClock) },
          { ...axis, size: 56, incrs: increments, ...(format && { values: (_plot, values) => values.map(format) }) },
        ],
    series: [
      {},
      ...series.map(({ label, color, format: own, isBar }) => ({
        label,
        stroke: colorOf(color),
        width: 1.5,
        points: { show: false },
        spanGaps: true,
        fill: `${colorOf(color)}${isSpark ? "22" : "18"}`,
        ...(isBar && uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.7, 24] }) }),
        value: (_plot: uPlot, value: number | null) => (value === null ? "–" : (own ?? String)(value)),
      })),
    ],
  };
}
