// The Context of a call that may become a task: its progress becomes the status message.
import type { Feature } from "../features/feature.ts";
import type { JournalHome } from "../interaction/journal.ts";
import { createRequestHome, type OpenedRound } from "../interaction/run-with-interaction.ts";
import type { InteractionSettings } from "../interaction/settings.ts";
import type { TaskRun } from "../tasks/task-run.ts";
import { RequestContext } from "./request-context.ts";
import type { HandlerParts } from "./server-parts.ts";

export class TaskContext extends RequestContext {
  readonly journalHome: JournalHome;
  readonly #run: TaskRun;
  readonly #taskInteraction: InteractionSettings;

  constructor(parts: HandlerParts, run: TaskRun, feature: Feature, openedRound?: OpenedRound) {
    super(parts, run.request, run, feature);
    this.openedRound = openedRound;
    this.#run = run;
    this.#taskInteraction = parts.taskInteraction;
    run.keepOnRequest(createRequestHome(this));
    this.journalHome = run;
  }

  override get interactionSettings(): InteractionSettings {
    return this.#run.isOnRequest ? super.interactionSettings : this.#taskInteraction;
  }

  override progress(done: number, total?: number, message?: string): void {
    if (this.#run.isOnRequest) super.progress(done, total, message);
    this.#run.report(message ?? (total === undefined ? String(done) : `${done} of ${total}`));
  }
}
