// Two processes of a server that run tasks of several steps, for tests that disturb their database meanwhile.
import type { JsonObject } from "@lethe/protocol";
import { type Context, createServer, type Server } from "@lethe/server";
import { expect, vi } from "vitest";
import { call } from "../../../server/src/testing/call.ts";
import { createPostgresTaskStore } from "../tasks/postgres-task-store.ts";
import { keys, type OwnPostgres } from "./own-postgres.ts";

const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const ask = (server: Server, method: string, params: JsonObject) => call(server, method, params, { capabilities });

export interface RunningTasks {
  readonly servers: readonly Server[];
  readonly taskIds: readonly string[];
  /** Each step that has begun, as "task step". */
  readonly begun: readonly string[];
  /** Waits until every task has completed. */
  completed(timeoutMs: number): Promise<void>;
}

/** Starts `count` tasks with `steps` steps of `stepMs` each, on two servers in turn. */
export async function startTasks(
  { connect, atEnd }: Pick<OwnPostgres, "connect" | "atEnd">,
  { count, steps, stepMs }: { count: number; steps: number; stepMs: number },
): Promise<RunningTasks> {
  const begun: string[] = [];
  async function run(ctx: Context): Promise<string> {
    const id = await ctx.uuid();
    for (let step = 0; step < steps; step++) {
      await ctx.once(`step ${step}`, async () => {
        begun.push(`${id} ${step}`);
        await new Promise((resolve) => setTimeout(resolve, stepMs));
      });
    }
    return "done";
  }

  async function openServer(): Promise<Server> {
    const store = await createPostgresTaskStore(await connect(), { keys });
    const tasks = { store, closeGraceMs: 0, leaseMs: 30_000, concurrency: count, maxTasks: count };
    const server = createServer({ name: "s", version: "1" }, { tasks, onError: () => {} });
    server.tool("work", { task: "always", handler: (_args: unknown, ctx) => run(ctx) });
    atEnd(() => server.close());
    return server;
  }

  const servers = [await openServer(), await openServer()];
  const start = async (index: number) =>
    String((await ask(servers[index % 2] as Server, "tools/call", { name: "work", arguments: {} })).taskId);
  const taskIds = await Promise.all(Array.from({ length: count }, (_, index) => start(index)));
  return {
    servers,
    taskIds,
    begun,
    async completed(timeout) {
      const isCompleted = async (taskId: string) =>
        (await ask(servers[0] as Server, "tasks/get", { taskId })).status === "completed";
      await vi.waitFor(async () => expect((await Promise.all(taskIds.map(isCompleted))).every(Boolean)).toBe(true), {
        timeout,
        interval: 200,
      });
    },
  };
}
