// A real Redis or Valkey server with its own folder, and a connection that sends it one command.
import { mkdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { untilListening } from "./ports.ts";
import type { ProcessSet, Started } from "./process-set.ts";

export interface RedisPlan {
  readonly port: number;
  /** The folder for its data. */
  readonly folder: string;
  readonly program?: string | undefined;
  /** Writes an append-only file, synced at each command. */
  readonly isPersistent?: boolean | undefined;
  readonly args?: readonly string[];
}

export async function startRedis(processes: ProcessSet, plan: RedisPlan): Promise<Started> {
  const { port, folder, program = "redis-server", isPersistent = false, args = [] } = plan;
  const data = join(folder, `redis-${port}`);
  mkdirSync(data, { recursive: true });
  const persistence = isPersistent ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"];
  const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", data, ...persistence, ...args];
  const redis = processes.start("redis", program, flags);
  await untilListening(port, redis);
  return redis;
}

/** Resolves with the reply as text. Rejects for an error reply. */
export function sendToRedis(port: number, ...words: readonly string[]): Promise<string> {
  const command = `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(command));
    let reply = "";
    socket.setEncoding("utf8");
    socket.setTimeout(10_000, () => socket.destroy(new Error("Redis did not answer within 10 s")));
    socket.on("error", reject);
    socket.on("data", (part) => {
      reply += part;
      if (!isWhole(reply)) return;
      socket.destroy();
      if (reply.startsWith("-")) reject(new Error(reply.trim()));
      else resolve(reply.startsWith("$") ? reply.slice(reply.indexOf("\n") + 1).trimEnd() : reply.slice(1).trim());
    });
  });
}

function isWhole(reply: string): boolean {
  const lineEnd = reply.indexOf("\r\n");
  if (lineEnd < 0) return false;
  if (!reply.startsWith("$")) return true;
  const length = Number(reply.slice(1, lineEnd));
  return length < 0 || Buffer.byteLength(reply) >= lineEnd + 2 + length + 2;
}

/** Bytes that Redis uses now. */
export async function usedMemory(port: number): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await sendToRedis(port, "INFO", "memory"))?.[1]);
}
