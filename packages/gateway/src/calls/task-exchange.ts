// The exchange of a call that is a task of the gateway, or may become one. Progress of the upstream becomes the status message of
// the task. While the request lasts, a caller that asked for progress gets it too.
import {
  type Caller,
  type Exchange,
  type JsonObject,
  type JsonRpcNotification,
  notificationMethod,
} from "@lethe/protocol";
import type { TaskRun } from "@lethe/server/edge";

export class TaskExchange implements Exchange {
  readonly #run: TaskRun;
  readonly #wantsProgress: boolean;

  constructor(run: TaskRun, wantsProgress: boolean) {
    this.#run = run;
    this.#wantsProgress = wantsProgress;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get caller(): Caller | undefined {
    return this.#run.caller;
  }

  notify(notification: JsonRpcNotification): boolean {
    if (notification.method !== notificationMethod.progress) return this.#run.notify(notification);
    this.#run.report(toMessage(notification.params ?? {}));
    return this.#wantsProgress ? this.#run.notify(notification) : true;
  }

  drained(): Promise<void> {
    return this.#run.drained();
  }
}

function toMessage({ message, progress, total }: JsonObject): string {
  if (typeof message === "string") return message;
  return total === undefined ? String(progress) : `${progress} of ${total}`;
}
