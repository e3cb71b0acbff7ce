// A real nginx, with its own configuration, independent of the machine's. Each response names the server that sent it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";

export interface RunningNginx {
  url: string;
  stop(): Promise<void>;
}

export interface NginxOptions {
  /** The directive that chooses a server. Default: none, which is plain round robin. */
  balance?: string;
}

/** Of every answer: address and port of the server that gave it. */
export const servedBy = "x-served-by";

/** Balances over servers on these ports of the loopback address. */
export async function startNginx(ports: readonly number[], { balance = "" }: NginxOptions = {}): Promise<RunningNginx> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-nginx-"));
  const port = await findFreePort();
  const file = join(folder, "nginx.conf");
  const servers = ports.map((upstream) => `server 127.0.0.1:${upstream} max_fails=0;`);
  await writeFile(file, toConfiguration(folder, port, [balance, ...servers]));
  const child = spawn("nginx", ["-p", folder, "-c", file, "-e", join(folder, "error.log"), "-g", "daemon off;"], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`nginx ended with code ${code}`);
  });
  failed.catch(() => {});
  await Promise.race([failed, untilListening(port)]);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGQUIT");
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

function toConfiguration(folder: string, port: number, upstream: readonly string[]): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `
pid ${folder}/nginx.pid;
worker_processes 1;
worker_shutdown_timeout 200ms;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.join("\n  ")}
  upstream servers {
    ${upstream.join("\n    ")}
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://servers;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host:$server_port;
      proxy_buffering off;
      add_header ${servedBy} $upstream_addr always;
    }
  }
}
`;
}

/** Resolves when a server listens on a port of the loopback address. */
export async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
