// The configuration of a load balancer from the documents of the tested clone, with ports of the loopback address.

/** Returns undefined if no document has a configuration in this language. */
export function toLocalConfiguration(
  documents: readonly string[],
  language: "nginx" | "haproxy",
  { port, replicas }: { readonly port: number; readonly replicas: readonly number[] },
): string | undefined {
  const blocks = documents.flatMap((text) => [
    ...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g")),
  ]);
  const block = blocks.map(([, found = ""]) => found).find((found) => /^(?:upstream|backend) lethe\b/m.test(found));
  return block
    ?.replace(/\b(listen |bind :)80\b/, (_, word: string) => `${word.replace(":", "")}127.0.0.1:${port}`)
    .replace(/10\.0\.0\.(\d+):3000/g, (_, number) => `127.0.0.1:${replicas[Number(number) - 1]}`);
}
