// Everything that the playground shares: the clients, the calls, and the input requests that wait.
import { type Client, type Handlers, type InputRequestContext, isMcpError } from "@lethe/client";
import { createStoredKey, type StoredKey } from "../admin/stored-key.ts";
import { type AskedInputs, createAskedInputs } from "./asked-inputs.ts";
import { type Call, type CallKind, type CallLog, createCallLog } from "./calls.ts";
import { createEndpointClient, describeError, type EndpointClient, type EraChoice } from "./endpoint-client.ts";

export interface PlaygroundSession {
  readonly url: URL;
  readonly key: StoredKey;
  readonly clients: EndpointClient;
  readonly inputs: AskedInputs;
  readonly log: CallLog;
  /** Never rejects: the log has the result or the error. */
  call(kind: CallKind, target: string, args: Readonly<Record<string, unknown>>, era: EraChoice): Promise<void>;
  /** Cancels the running calls at the server, because the page is closed or the browser opens another one. */
  leave(): void;
  /** The page is shown again after `leave`. */
  stay(): void;
}

export function createPlaygroundSession(url: URL): PlaygroundSession {
  const key = createStoredKey("lethe-caller-key", sessionStorage);
  const inputs = createAskedInputs();
  const log = createCallLog();
  const clients = createEndpointClient({ url, key: () => key.get(), handlers: (era) => toHandlers(inputs, log, era) });
  key.subscribe(() => void clients.close());

  async function call(
    kind: CallKind,
    target: string,
    args: Readonly<Record<string, unknown>>,
    era: EraChoice,
  ): Promise<void> {
    const begun = log.begin({ kind, target, args, era });
    try {
      const client = await clients.of(era);
      const { revision, era: connectedEra } = client.connection;
      log.update(begun.id, { revision, isModern: connectedEra === "modern" });
      log.note(begun.id, `sent as ${revision}`);
      const result = await send(client, begun, log);
      log.note(begun.id, "result");
      log.update(begun.id, { result, ms: performance.now() - begun.startedAt });
    } catch (error) {
      const isCancelled = begun.abort.signal.aborted;
      log.note(begun.id, isCancelled ? "cancelled" : "error", isMcpError(error) ? error.data : undefined);
      const problem = isCancelled ? "cancelled" : describeError(error);
      log.update(begun.id, { error: problem, ms: performance.now() - begun.startedAt });
    }
  }

  function leave(): void {
    clients.leave();
    for (const running of log.calls.filter(({ ms }) => ms === undefined)) abandon(running, inputs);
  }

  return { url, key, clients, inputs, log, call, leave, stay: clients.stay };
}

/**
 * Aborting a call cancels it at the server. In 2026-07-28 no request is open while the server waits for input: the answer "cancel" is then
 * the only message that ends the wait. A sampling request has no such answer.
 */
function abandon({ target, era, isModern, abort }: Call, { waiting }: AskedInputs): void {
  const asked = waiting.filter((input) => input.target === target && input.era === era);
  const elicitations = asked.filter(({ method }) => method === "elicitation/create");
  if (isModern && elicitations.length > 0) {
    for (const { answer } of elicitations) answer({ action: "cancel" });
  } else abort.abort();
}

function send(client: Client, { id, kind, target, args, abort }: Call, log: CallLog): Promise<unknown> {
  const { signal } = abort;
  if (kind === "resource") return client.readResource(target, { signal });
  if (kind === "prompt") return client.getPrompt(target, args as Record<string, string>, { signal });
  return client.callTool(
    target,
    { ...args },
    {
      signal,
      onProgress: ({ progress, total, message }) => {
        const share = total === undefined ? `${progress}` : `${progress} of ${total}`;
        log.note(id, `progress ${share}${message ? `: ${message}` : ""}`);
      },
      onLog: ({ level, data }) => log.note(id, `log ${level}`, data),
      onTask: ({ status, statusMessage }) => log.note(id, `task ${status}${statusMessage ? `: ${statusMessage}` : ""}`),
    },
  );
}

/** The calls of one target that run in one era share its input requests, so each of them notes that it was asked. */
function toHandlers(inputs: AskedInputs, log: CallLog, era: EraChoice): Handlers {
  const ask = async (method: string, params: unknown, context: InputRequestContext) => {
    const running = log.calls.filter(
      (call) => call.target === context.target && call.era === era && call.ms === undefined,
    );
    for (const { id } of running) log.note(id, `asked: ${method}`, params);
    const answer = await inputs.ask(method, params, { ...context, era });
    for (const { id } of running) log.note(id, "answered", answer);
    return answer as never;
  };
  return {
    elicit: (params, context) => ask("elicitation/create", params, context),
    elicitUrl: (params, context) => ask("elicitation/create", params, context),
    sample: (params, context) => ask("sampling/createMessage", params, context),
    roots: [],
  };
}
