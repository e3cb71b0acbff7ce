// Builds the parts of a server in the order in which they depend on each other.
import { type Implementation, type JsonObject, metaKey, type ServerCapabilities } from "@lethe/protocol";
import { systemClock } from "./clock/clock.ts";
import { type ChangeNotifier, createChangeNotifier } from "./dispatch/change-notifier.ts";
import { createRegistry, type Registry, toListCache } from "./features/registry.ts";
import type { TaskPolicy } from "./features/task-policy.ts";
import type { CallbackEdge } from "./http/servable.ts";
import { createHandlerFingerprints } from "./interaction/handler-fingerprint.ts";
import { createConsoleWarning, createInteractionSettings, type InteractionSettings } from "./interaction/settings.ts";
import { type Advertiser, createAdvertiser } from "./methods/advertisement.ts";
import { mayFollow } from "./methods/find-task.ts";
import { createReportError, createReportTaskError, logError } from "./methods/report-error.ts";
import { resumeTool } from "./methods/run-tool.ts";
import type { HandlerParts, ServerParts } from "./methods/server-parts.ts";
import { mayWatch, toChangeKinds } from "./methods/watchable.ts";
import { hasWorkerStores, openWorkerStore } from "./replicas/worker-stores.ts";
import type { KeyRing } from "./seal/key-ring.ts";
import { createMemorySingleUseStore } from "./seal/memory-single-use-store.ts";
import { createSeal } from "./seal/seal.ts";
import { createSingleUse } from "./seal/single-use.ts";
import type { SingleUseStore } from "./seal/single-use-store.ts";
import type { ServerOptions } from "./server-options.ts";
import { SessionParts } from "./session/session-parts.ts";
import type { Bus } from "./subscriptions/bus.ts";
import { createHub } from "./subscriptions/hub.ts";
import { CallbackUrls } from "./tasks/callback-urls.ts";
import { createTaskRunner, type TaskRunner } from "./tasks/task-runner.ts";
import { createTaskSettings, type TasksOptions } from "./tasks/task-settings.ts";
import type { TaskStore } from "./tasks/task-store.ts";

/** What a server keeps of its construction. */
export interface BuiltParts {
  readonly parts: ServerParts;
  readonly advertiser: Advertiser;
  readonly notifier: ChangeNotifier;
  readonly callbacks: CallbackEdge | undefined;
  /** `_meta` of every result without `serverInfo`. */
  readonly resultMeta: JsonObject | undefined;
}

/** The id of a task and the key of a callback, as JSON. */
const placeBytes = 256;

/** `what` is sealed with a key of this process. */
function ephemeralKeyWarning(what: string): string {
  return `${what} sealed with a key of this process: no other replica can open it, nor this one after a restart. Set LETHE_KEYS or the option keys.`;
}

const workerTasksWarning =
  "tasks.store keeps tasks in the memory of one process, so that others do not know them: leave the option out, and all processes of the server share one store.";

/** `capabilities` may grow while the server runs. */
export function createServerParts(
  info: Implementation,
  options: ServerOptions,
  { ring, capabilities, hasMounts }: { ring: KeyRing; capabilities: ServerCapabilities; hasMounts: () => boolean },
): BuiltParts {
  const resultMeta = options.serverInfo === false ? undefined : Object.freeze({ [metaKey.serverInfo]: info });
  const hasLogging = options.logging !== false;
  const onError = options.onError ?? logError;
  const { pageSize, cache: caches, visible: isVisible, instructions, clock = systemClock } = options;
  const registry = createRegistry({ pageSize, caches, isVisible, resultMeta });
  const cache = toListCache(caches?.discover);
  const advertiser = createAdvertiser({ registry, capabilities, hasLogging, instructions, cache, resultMeta });
  const onWarning = options.interaction?.onWarning ?? createConsoleWarning();
  const taskSettings = createTaskSettings(withWorkerTasks(info, options, onWarning), clock);
  const interaction = createInteraction(info, options, ring);
  const { maxRounds, maxJournalBytes } = taskSettings;
  const handlerParts: HandlerParts = {
    registry,
    interaction,
    taskInteraction: { ...interaction, maxRounds, maxJournalBytes },
    sessions: new SessionParts({
      ...{ ring, server: info.name, store: options.sessionStore, now: clock.wallTime },
      onEphemeral: () => interaction.onWarning(ephemeralKeyWarning("the handle of a session is")),
    }),
    fingerprintOf: createHandlerFingerprints(),
    hasLogging,
    reportError: createReportError(onError),
    clock,
  };
  const taskSealOptions = {
    server: info.name,
    ttlMs: taskSettings.maxTtlMs + taskSettings.maxSleepMs,
    now: clock.wallTime,
  };
  const taskSeal = createSeal(ring, taskSealOptions);
  const bus = options.subscriptions?.bus ?? openWorkerStore<Bus>("bus", info.name);
  const hub = createHub({
    ...options.subscriptions,
    ...(bus && { bus }),
    now: clock.wallTime,
    supports: () => toChangeKinds(advertiser.current().capabilities),
    mayWatch: (uri, exchange) => mayWatch(registry, uri, exchange),
    mayFollow: (taskId, exchange) => mayFollow({ registry, taskSeal, store: taskSettings.store }, taskId, exchange),
  });
  const callbackUrls =
    options.callbackUrl === undefined
      ? undefined
      : new CallbackUrls(options.callbackUrl, createSeal(ring, { ...taskSealOptions, maxBytes: placeBytes }));
  const tasks = createTaskRunner({
    settings: taskSettings,
    clock,
    publish: (task) => hub.publish({ kind: "task", task: { ...task } }),
    resume: (run, task) => resumeTool(handlerParts, run, task),
    policyOf: ({ tool }, work) => registry.tools.get(tool, work.caller)?.task,
    tools: () => taskToolsOf(registry),
    onError: createReportTaskError(onError),
    ...(callbackUrls && { toCallbackUrl: (taskId: string, key: string) => callbackUrls.toUrl(taskId, key) }),
  });
  const notifier = createChangeNotifier(registry, (kind) => hub.publish({ kind }));
  const parts = { ...handlerParts, hub, advertised: advertiser.current, tasks, taskSeal, hasMounts };
  const callbacks = callbackUrls && createCallbackEdge(callbackUrls, tasks);
  return { parts, advertiser, notifier, callbacks, resultMeta };
}

/** In a worker, tasks are in the store that all workers share, unless the server has one of its own. */
function withWorkerTasks(
  { name }: Implementation,
  { tasks = {} }: ServerOptions,
  onWarning: (warning: string) => void,
): TasksOptions {
  if (tasks.store) {
    if (hasWorkerStores() && !tasks.store.isDurable) onWarning(workerTasksWarning);
    return tasks;
  }
  const store = openWorkerStore<TaskStore>("tasks", name);
  return store ? { ...tasks, store } : tasks;
}

function createCallbackEdge(urls: CallbackUrls, tasks: TaskRunner): CallbackEdge {
  return {
    path: urls.path,
    async complete(token, body) {
      const place = await urls.open(token);
      return place ? tasks.complete(place.taskId, place.key, body) : "unknown";
    },
  };
}

function createInteraction(info: Implementation, options: ServerOptions, ring: KeyRing): InteractionSettings {
  const { singleUse, interaction, clock = systemClock } = options;
  const now = clock.wallTime;
  const onWarning = interaction?.onWarning ?? createConsoleWarning();
  return createInteractionSettings({
    ...interaction,
    onWarning,
    singleUse:
      singleUse === false
        ? undefined
        : createSingleUse(
            singleUse ?? openWorkerStore<SingleUseStore>("singleUse", info.name) ?? createMemorySingleUseStore({ now }),
          ),
    seal: createSeal(ring, {
      ...options.seal,
      ...{ server: info.name, now },
      onEphemeral: () => onWarning(ephemeralKeyWarning("requestState is")),
    }),
  });
}

function* taskToolsOf({ tools }: Registry): Iterable<readonly [string, TaskPolicy]> {
  for (const { tool, task } of tools.all()) yield [tool.name, task];
}
