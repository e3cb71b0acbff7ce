// A caller of tasks: starts one at any server, polls it at any server, and answers its input requests.
import type { Result } from "@lethe/protocol";
import type { TaskChecker } from "../history/task-checker.ts";
import type { World } from "../world/world.ts";
import type { TaskServer, Work } from "./task-server.ts";

export interface TaskCallerOptions {
  readonly world: World;
  readonly checker: TaskChecker;
  servers(): readonly TaskServer[];
}

interface TaskState {
  readonly status: string;
  readonly result?: { readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly data?: { readonly reason?: string } };
  readonly inputRequests?: Record<string, unknown>;
}

const pollMs = 500;
/** A request without an answer is given up after this time, in ms. */
const patienceMs = 10_000;

export class TaskCaller {
  readonly #options: TaskCallerOptions;
  /** Tasks that were started and whose end is not known. */
  readonly open = new Set<string>();

  constructor(options: TaskCallerOptions) {
    this.#options = options;
  }

  /** Starts a task, unless no server answers, and follows it to its end. */
  async run(work: Work): Promise<void> {
    const { world, checker } = this.#options;
    const started = await this.#request("tools/call", { name: "work", arguments: work });
    const taskId = (started as { taskId?: string } | undefined)?.taskId;
    world.tell(`${work.name} ${taskId === undefined ? "was not started" : "is started"}`);
    // It may exist nevertheless, and then ends unnoticed.
    if (taskId === undefined) return;
    this.open.add(work.name);
    const code = `code of ${work.name}`;
    const answered = new Set<string>();
    for (;;) {
      await this.#pause(pollMs);
      const state = (await this.#request("tasks/get", { taskId })) as TaskState | undefined;
      if (state?.status === "input_required") await this.#answer(taskId, state, { code, answered });
      if (state?.status !== "completed" && state?.status !== "failed") continue;
      const text = state.result?.content[0]?.text ?? `failure: ${state.error?.data?.reason}`;
      world.tell(`${work.name} ended: ${text}`);
      checker.end(work.name, text, expectedOf(work, code));
      this.open.delete(work.name);
      return;
    }
  }

  async #answer(
    taskId: string,
    { inputRequests = {} }: TaskState,
    { code, answered }: { code: string; answered: Set<string> },
  ): Promise<void> {
    for (const key of Object.keys(inputRequests)) {
      // Later answers are wrong: only the first one may count.
      const content = { code: answered.has(key) ? `late ${code}` : code };
      const inputResponses = { [key]: { action: "accept", content } };
      const reply = await this.#request("tasks/update", { taskId, inputResponses });
      if (reply !== undefined) answered.add(key);
    }
  }

  /** Undefined for a failure, which may have had an effect. */
  #request(method: string, params: Record<string, unknown>): Promise<Result | undefined> {
    const { world, servers } = this.#options;
    const { agenda, random } = world;
    const ready = servers().filter(({ isReady }) => isReady);
    if (ready.length === 0) return Promise.resolve(undefined);
    const server = random.pick(ready);
    return new Promise((resolve) => {
      const cancel = agenda.after(patienceMs, () => resolve(undefined));
      const respond = (result: Result | undefined): void => {
        agenda.after(random.between(0.1, 3), () => {
          cancel();
          resolve(result);
        });
      };
      agenda.after(random.between(0.1, 3), () =>
        server.process.deliver(() => {
          server.request(method, params).then(respond, (error: Error) => {
            world.tell(`${server.name} rejects ${method}: ${error.message}`);
            respond(undefined);
          });
        }),
      );
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.world.agenda.after(ms, resolve));
  }
}

function expectedOf({ steps, asks }: Work, code: string): string {
  return `${(steps.length * (steps.length + 1)) / 2} ${asks ? code : ""}`;
}
