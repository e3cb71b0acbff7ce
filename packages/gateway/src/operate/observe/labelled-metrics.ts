// Counters and histograms of what happens with every request. prom-client joins the labels of each event to one text and looks that up, which
// takes half a microsecond. Here each label is looked up by itself, in a tree with one level per label.
import type { Counter, MetricValueWithName, Registry } from "prom-client";

interface MetricDescription {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** The values of the labels in the order of their names. Undefined: the series has no such label. */
type LabelValues = readonly (string | undefined)[];

type Labels = Readonly<Record<string, string>>;
type Values = readonly MetricValueWithName<string>[];

export function createCounter(
  registry: Registry,
  description: MetricDescription,
): (labels: LabelValues, amount?: number) => void {
  const tree = new LabelTree(description.labelNames, () => ({ value: 0 }));
  register(registry, "counter", description, () =>
    tree.series.map(({ labels, state: { value } }) => ({ value, labels })),
  );
  return (labels, amount = 1) => {
    tree.at(labels).value += amount;
  };
}

interface Observed {
  /** By bucket, without the values of smaller buckets. The last one has no bound. */
  readonly counts: number[];
  sum: number;
}

/** `bounds`: the upper bounds of the buckets, the smallest first. */
export function createHistogram(
  registry: Registry,
  description: MetricDescription,
  bounds: readonly number[],
): (labels: LabelValues, value: number) => void {
  const create = (): Observed => ({ counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 });
  const tree = new LabelTree(description.labelNames, create);
  register(registry, "histogram", description, () =>
    tree.series.flatMap(({ labels, state }) => toValues(description.name, bounds, labels, state)),
  );
  return (labels, value) => {
    const observed = tree.at(labels);
    let bucket = 0;
    while (value > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
    observed.counts[bucket] = (observed.counts[bucket] ?? 0) + 1;
    observed.sum += value;
  };
}

/** Prometheus counts the values up to each bound. */
function toValues(name: string, bounds: readonly number[], labels: Labels, { counts, sum }: Observed): Values {
  let count = 0;
  const buckets = counts.map((own, bucket) => {
    count += own;
    return { metricName: `${name}_bucket`, labels: { le: bounds[bucket] ?? "+Inf", ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** A registry reads a metric with `get`, and nothing else of it. Its type admits the classes of prom-client only. */
function register(
  registry: Registry,
  type: "counter" | "histogram",
  { name, help, labelNames }: MetricDescription,
  read: () => Values,
): void {
  const metric = { name, help, type, aggregator: "sum" };
  const get = async () => ({ ...metric, values: read() });
  registry.registerMetric({ ...metric, labelNames, get } as unknown as Counter);
}

interface Series<S> {
  readonly labels: Labels;
  readonly state: S;
}

interface Branch<S> {
  readonly branches: Map<string | undefined, Branch<S>>;
  state: S | undefined;
}

class LabelTree<S extends object> {
  /** In the order in which they began. */
  readonly series: Series<S>[] = [];
  readonly #names: readonly string[];
  readonly #create: () => S;
  readonly #root: Branch<S> = { branches: new Map(), state: undefined };

  constructor(names: readonly string[], create: () => S) {
    this.#names = names;
    this.#create = create;
  }

  at(values: LabelValues): S {
    let branch = this.#root;
    for (const value of values) {
      let next = branch.branches.get(value);
      if (!next) {
        next = { branches: new Map(), state: undefined };
        branch.branches.set(value, next);
      }
      branch = next;
    }
    branch.state ??= this.#begin(values);
    return branch.state;
  }

  #begin(values: LabelValues): S {
    const labels: Record<string, string> = {};
    for (const [index, name] of this.#names.entries()) {
      const value = values[index];
      if (value !== undefined) labels[name] = value;
    }
    const state = this.#create();
    this.series.push({ labels, state });
    return state;
  }
}
