// The nginx configuration that documents recommend for replicas that share Redis, with ports of the loopback address.

/** Without a block for replicas that share Redis, the block for those that do not, less its `hash` line. */
export function chooseBlock(documents: readonly string[]): string | undefined {
  const blocks = documents
    .flatMap((text) => [...text.matchAll(/```nginx\n([\s\S]*?)```/g)])
    .map(([, block = ""]) => block)
    .filter((block) => block.includes("upstream lethe"));
  const found = blocks.find((block) => !/^\s*hash /m.test(block)) ?? blocks[0];
  return found?.replace(/^\s*hash .*\n/m, "");
}

/** Each server gets the flags of the first documented one. */
export function withPorts(block: string, port: number, replicas: readonly number[]): string {
  const flags = /^\s*server 10\.[\d.]+:\d+([^;]*);/m.exec(block)?.[1] ?? "";
  const servers = replicas.map((replica) => `  server 127.0.0.1:${replica}${flags};\n`).join("");
  return block
    .replace(/^\s*server 10\.[\d.]+:\d+[^;]*;.*\n/gm, "")
    .replace(/(upstream lethe \{\n)/, `$1${servers}`)
    .replace(/listen 80;/, `listen 127.0.0.1:${port};`);
}

/** `block`: the directives inside of `http`. All files of nginx are in `folder`. */
export function toConfiguration(folder: string, block: string): string {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
pid ${folder}/nginx.pid;
worker_processes 1;
worker_shutdown_timeout 5s;
events { worker_connections 2048; }
http {
access_log off;
${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n")}
${block}
}
`;
}
