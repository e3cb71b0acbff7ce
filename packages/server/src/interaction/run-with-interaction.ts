// Runs a handler that may request input (E.3): tools/call, prompts/get, resources/read, and tasks.
import {
  type Caller,
  clientCapabilitiesOf,
  errorCode,
  type InputRequiredResult,
  isJsonObject,
  McpError,
  type ModernRequest,
  targetNameOf,
} from "@lethe/protocol";
import { InputRequired } from "../features/input-required.ts";
import type { Awaitable } from "../features/literal-hint.ts";
import { isThenable } from "../features/thenable.ts";
import { toCanonicalJson } from "../seal/digest.ts";
import { type Binding, invalidRequestState, type OpenedToken } from "../seal/seal.ts";
import { type HandlerFingerprint, mayReplay, stampOf, versionConflict } from "./handler-fingerprint.ts";
import { createInteraction, type Interaction } from "./interaction.ts";
import { InteractionError } from "./interaction-error.ts";
import type { Journal, JournalHome } from "./journal.ts";
import { toRawAsked, toRawInputRequests } from "./raw-input.ts";
import type { PendingInputRequest } from "./run-end.ts";
import { createSealedJournalHome, toJournal } from "./sealed-journal.ts";
import type { InteractionSettings } from "./settings.ts";
import { listLabels } from "./step-label.ts";
import { Suspension } from "./suspension.ts";

/** The parts of a request context that input requests need. */
export interface InteractionHost {
  readonly request: ModernRequest;
  readonly caller: Caller | undefined;
  /** As of `Exchange`. */
  readonly keepsState?: boolean | undefined;
  readonly interactionSettings: InteractionSettings;
  /** Waits in this process. Rejects when the call is aborted. */
  pauseFor(ms: number): Promise<void>;
  /** Absent: any version of the handler may replay the journal. */
  readonly handlerMark?: HandlerFingerprint | undefined;
  /** Absent: the journal travels in `requestState`. */
  readonly journalHome?: JournalHome | undefined;
  /** Set for a retry whose state was opened already. */
  openedRound?: OpenedRound | undefined;
  /** Set at the handler's first input request, or for a retry. */
  interaction?: Interaction | undefined;
}

/** An opened `requestState` of this call. */
export interface OpenedRound extends Omit<OpenedToken, "payload"> {
  readonly journal: Journal;
  /** The interaction of the run that continues here; undefined until it begins. */
  interaction?: Interaction;
}

/** Returns the interaction of a context, created at the first use. */
export function interactionOf(host: InteractionHost): Interaction {
  host.interaction ??= open(host, undefined);
  return host.interaction;
}

/** What a run with input requests returns. */
type Concluded<T> = Exclude<T, InputRequired> | InputRequiredResult;

/**
 * Returns the result of `run`, or `input_required` if it waits for a response; a promise only where something has to be awaited. Throws
 * the error of `run`, or rejects with it; McpError -32602 for a `requestState` of another call, -32603 above the limit of rounds;
 * InteractionError when the handler does not repeat its requests.
 */
export function runWithInteraction<T>(host: InteractionHost, run: () => Awaitable<T>): Awaitable<Concluded<T>> {
  const { journalHome: home, request } = host;
  if (request.params.requestState !== undefined || (home && !home.isEmpty)) {
    return openJournal(host).then(() => runOpened(host, run));
  }
  return runOpened(host, run);
}

function runOpened<T>(host: InteractionHost, run: () => Awaitable<T>): Awaitable<Concluded<T>> {
  let running: Awaitable<T>;
  try {
    running = run();
  } catch (error) {
    if (host.interaction) return concludeError(host, error);
    throw error;
  }
  if (isThenable(running)) return concludeLater(host, running);
  return conclude(host, running);
}

async function concludeLater<T>(host: InteractionHost, running: PromiseLike<T>): Promise<Concluded<T>> {
  let result: T;
  try {
    result = await running;
  } catch (error) {
    return concludeError(host, error);
  }
  return conclude(host, result);
}

function conclude<T>(host: InteractionHost, result: T): Awaitable<Concluded<T>> {
  if (host.interaction || result instanceof InputRequired) return concludeResult(host, result);
  return result as Exclude<T, InputRequired>;
}

async function concludeError(host: InteractionHost, error: unknown): Promise<InputRequiredResult> {
  const { interaction } = host;
  const suspended =
    interaction &&
    (await concludeSuspended(host, interaction, { isSuspension: error instanceof Suspension, isReturned: false }));
  if (suspended) return suspended;
  throw error;
}

async function concludeResult<T>(host: InteractionHost, result: T): Promise<Concluded<T>> {
  const { interaction } = host;
  const suspended =
    interaction && (await concludeSuspended(host, interaction, { isSuspension: false, isReturned: true }));
  if (suspended) return suspended;
  if (result instanceof InputRequired) return concludeRaw(host, result);
  return result as Exclude<T, InputRequired>;
}

async function openJournal(host: InteractionHost): Promise<void> {
  const journal = await homeOf(host).load();
  await checkMark(host, journal);
  const interaction = open(host, journal);
  host.interaction = interaction;
  if (host.openedRound) host.openedRound.interaction = interaction;
}

/** Throws McpError -32602 for a state of another call, or of an incompatible version of the handler. */
export async function openRound(host: InteractionHost, token: string): Promise<OpenedRound> {
  const { payload, id, expiresAt } = await host.interactionSettings.seal.openToken(token, bindingOf(host));
  const journal = toJournal(payload);
  await checkMark(host, journal);
  return { journal, id, expiresAt };
}

async function checkMark(host: InteractionHost, journal: Journal | undefined): Promise<void> {
  if (!journal || (await mayReplay(host.handlerMark, journal))) return;
  const place = { code: errorCode.invalidParams, place: nameOf(host) };
  throw versionConflict(host.handlerMark, journal, place) ?? invalidRequestState();
}

function open(host: InteractionHost, journal: Journal | undefined): Interaction {
  const { interactionSettings: settings, request } = host;
  const { inputResponses } = request.params;
  return createInteraction({
    capabilities: clientCapabilitiesOf(request),
    journal,
    responses: isJsonObject(inputResponses) ? inputResponses : undefined,
    replayGraceMs: settings.replayGraceMs,
    digestOfText: settings.digestOfText,
    onWarning: (warning) => settings.onWarning(`${nameOf(host)} ${warning}`),
    home: host.journalHome,
    roundId: host.openedRound?.id,
    maxSleepMs: settings.maxSleepMs,
    pauseFor: (ms) => host.pauseFor(ms),
  });
}

/** Undefined when the handler was not suspended: its result or error counts. */
async function concludeSuspended(
  host: InteractionHost,
  interaction: Interaction,
  { isSuspension, isReturned }: { isSuspension: boolean; isReturned: boolean },
): Promise<InputRequiredResult | undefined> {
  const end = await interaction.end();
  if (!end.isSuspended) {
    if (isReturned && end.forgotten.length > 0) throw forgottenAwait(host, end.forgotten);
    return undefined;
  }
  if (!isSuspension) {
    host.interactionSettings.onWarning(
      `${nameOf(host)} caught the suspension of its call: throw it on, or ask outside of try`,
    );
  }
  if (end.error instanceof InteractionError) {
    throw new InteractionError(`${nameOf(host)} does not replay: ${end.error.message}${originOf(host, interaction)}`);
  }
  if (end.error !== undefined) throw end.error;
  const sent = end.pending.map(({ key, digest, label }) => ({ key, digest, ...(label !== undefined && { label }) }));
  // The next run starts where this one did, so it gets the same raw state and responses.
  const { state, inputResponses } = interaction;
  return endRound(host, { pending: end.pending, asked: sent, state, inputResponses });
}

/** A journal of a compatible version is the likeliest cause of a replay that differs. */
function originOf({ handlerMark }: InteractionHost, { startedVersion }: Interaction): string {
  if (startedVersion === undefined || startedVersion === handlerMark?.version) return "";
  return `. The journal is of version ${JSON.stringify(startedVersion)}, which is among the compatibleVersions of this handler`;
}

function forgottenAwait(host: InteractionHost, labels: readonly string[]): InteractionError {
  return new InteractionError(
    `${nameOf(host)} returned before ${listLabels(labels)} had a result, which nothing awaited: write "await" before the call`,
  );
}

async function concludeRaw(host: InteractionHost, result: InputRequired): Promise<InputRequiredResult> {
  const { digestOfText } = host.interactionSettings;
  const pending = await toRawInputRequests(result, clientCapabilitiesOf(host.request), digestOfText);
  return endRound(host, { pending, asked: pending.map(toRawAsked), state: result.state });
}

interface Round extends Pick<Journal, "asked" | "state" | "inputResponses"> {
  readonly pending: readonly PendingInputRequest[];
}

async function endRound(host: InteractionHost, { pending, ...kept }: Round): Promise<InputRequiredResult> {
  const { maxRounds, maxInputRequests, maxJournalBytes } = host.interactionSettings;
  const round = (host.interaction?.round ?? 0) + 1;
  if (round > maxRounds)
    throw new McpError(
      errorCode.internalError,
      `input was requested ${maxRounds} times, which is the limit; long sleeps count too`,
    );
  if (pending.length > maxInputRequests) {
    throw new InteractionError(
      `${nameOf(host)} sends ${pending.length} input requests in one round, at most ${maxInputRequests} allowed`,
    );
  }
  const entries = host.interaction?.entries() ?? [];
  const stamp = await stampOf(host.handlerMark);
  const journal: Journal = { v: 1, ...stamp, seed: host.interaction?.seed, round, entries, ...kept };
  const size = new TextEncoder().encode(JSON.stringify(journal)).length;
  if (size > maxJournalBytes) {
    throw new InteractionError(`${nameOf(host)} has a journal of ${size} bytes, at most ${maxJournalBytes} allowed`);
  }
  const result: InputRequiredResult = { resultType: "input_required" };
  if (pending.length > 0) {
    result.inputRequests = Object.fromEntries(pending.map(({ key, request }) => [key, request]));
  }
  const requestState = await homeOf(host).save(journal);
  if (requestState !== undefined) result.requestState = requestState;
  return result;
}

function homeOf(host: InteractionHost): JournalHome {
  return host.journalHome ?? createRequestHome(host);
}

/** Keeps the journal of a plain request in its `requestState`. */
export function createRequestHome(host: InteractionHost): JournalHome {
  const { requestState } = host.request.params;
  const token = typeof requestState === "string" ? requestState : undefined;
  const { interactionSettings: settings, openedRound } = host;
  return createSealedJournalHome({
    seal: settings.seal,
    token,
    opened: openedRound?.journal,
    roundId: openedRound?.id,
    bind: () => bindingOf(host),
  });
}

function bindingOf({ request, caller }: InteractionHost): Binding {
  return {
    callerId: caller?.id,
    method: request.method,
    target: targetNameOf(request.method, request.params) ?? "",
    arguments: toCanonicalJson(request.params.arguments ?? {}),
  };
}

function nameOf({ request }: InteractionHost): string {
  return `${request.method} ${targetNameOf(request.method, request.params)}`;
}
