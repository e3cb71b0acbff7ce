// A server with tasks in Redis: the real server, task runner and store of @lethe/server and @lethe/redis in a simulated process.
import type { Result } from "@lethe/protocol";
import { connectRedis, createRedisTaskStore, type RedisConnection } from "@lethe/redis";
import { type Context, createServer, type Server } from "@lethe/server";
import { pause } from "@lethe/server/stores";
import { z } from "zod";
import type { TaskChecker } from "../history/task-checker.ts";
import { Program, type ProgramOptions } from "../world/program.ts";
import { silentExchange, toTaskRequest } from "./task-request.ts";

export interface TaskServerOptions extends ProgramOptions {
  readonly checker: TaskChecker;
}

const workSchema = z.object({
  name: z.string(),
  /** How long each step takes, in ms. */
  steps: z.array(z.number()),
  /** Whether the tool asks its caller before the last step. */
  asks: z.boolean(),
});

/** The argument of the tool. */
export type Work = Readonly<z.infer<typeof workSchema>>;

const leaseMs = 5_000;

const confirmation = z.object({ code: z.string() });

export class TaskServer extends Program {
  readonly #checker: TaskChecker;
  readonly #timeoutMs: number;
  #connection: RedisConnection | undefined;
  #server: Server | undefined;
  #isStopping = false;

  constructor(options: TaskServerOptions) {
    super(options);
    this.#checker = options.checker;
    this.#timeoutMs = options.commandTimeoutMs;
    this.begin(() => this.#start());
  }

  get isReady(): boolean {
    return this.process.isAlive && this.#server !== undefined && !this.#isStopping;
  }

  stop(): void {
    if (!this.isReady) return;
    this.#isStopping = true;
    this.process.run(() => {
      void this.#server?.close().finally(() => {
        this.#connection?.close();
        this.kill();
      });
    });
  }

  /** Rejects with McpError. */
  request(method: string, params: Record<string, unknown>): Promise<Result> {
    return (this.#server as Server).dispatch(toTaskRequest(method, params), silentExchange);
  }

  async #start(): Promise<void> {
    const connection = await connectRedis({
      ...{ url: "redis://simulated", timeoutMs: this.#timeoutMs },
      onLost: (reason) => this.say(`lost Redis: ${reason}`),
      onBack: () => this.say("reaches Redis again"),
    });
    this.#connection = connection;
    const store = await createRedisTaskStore(connection, { keys: this.world.ring });
    const server = createServer(
      { name: "tasks", version: "1" },
      {
        onError: (error) => this.say(`error: ${error instanceof Error ? error.message : String(error)}`),
        tasks: { store, leaseMs, closeGraceMs: 500 },
      },
    );
    server.tool("work", {
      task: { mode: "always" },
      inputSchema: workSchema,
      handler: (work, ctx) => this.#work(work, ctx),
    });
    this.#server = server;
    this.say("ready");
  }

  /** The sum of what the steps return, and the answer of the caller. The task sleeps before each long step, so it changes its process. */
  async #work({ name, steps, asks }: Work, ctx: Context): Promise<string> {
    let sum = 0;
    let code = "";
    for (const [index, ms] of steps.entries()) {
      if (asks && index === steps.length - 1) code = (await ctx.elicit("the code?", confirmation)).code;
      if (ms > 1_000) await ctx.sleep(ms);
      sum += await ctx.once(`step ${index}`, async ({ fence }) => {
        this.#checker.begin(name, index, { fence, worker: this.name });
        await pause(this.process.clock, ms);
        return index + 1;
      });
    }
    return `${sum} ${code}`;
  }
}
