// The HAProxy configuration that documents recommend for replicas that share Redis, with ports of the loopback address.

export function toLocalHaproxy(
  documents: readonly string[],
  port: number,
  replicas: readonly number[],
): string | undefined {
  const block = documents
    .flatMap((text) => [...text.matchAll(/```haproxy\n([\s\S]*?)```/g)])
    .map(([, found = ""]) => found)
    .find((found) => found.includes("backend lethe"));
  const own = block
    ?.replace(/bind :80/, `bind 127.0.0.1:${port}`)
    .replace(/10\.0\.0\.(\d+):3000/g, (_, number) => `127.0.0.1:${replicas[Number(number) - 1]}`);
  // HAProxy requires a line break at the end.
  return own && `${own.trimEnd()}\n`;
}
