// The metrics of a running gateway.

/** Returns "" while the gateway does not answer. */
export async function readMetrics(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
  return (await answer?.text()) ?? "";
}

/** The value of a metric without labels. 0 if there is none. */
export async function metricAt(port: number, name: string): Promise<number> {
  return Number(new RegExp(`^${name} ([\\d.]+)`, "m").exec(await readMetrics(port))?.[1] ?? 0);
}
