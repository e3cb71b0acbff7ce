// The edge between callers and endpoints: authentication, limits, policy and a record of each request.
import { type Dispatch, type Middleware, withMiddleware } from "@lethe/protocol";
import type { LegacyEdge, Servable } from "@lethe/server/edge";
import { rateLimit, telemetry } from "@lethe/server/middleware";
import type { RateCounter } from "@lethe/server/stores";
import { setTrace } from "../calls/call-trace.ts";
import { readForwardedTrace, toStepNotification } from "../calls/forwarded-steps.ts";
import type { RecordedStep, StepRecorder } from "../calls/step-recorder.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { type AffinityKey, createAffinityHints } from "./affinity-hints.ts";
import { type AuthenticationOptions, createAuthentication } from "./authentication.ts";
import { type CallerLimits, type CallerUse, callerLimits } from "./caller-limits.ts";
import { declareAuthorization } from "./declare-authorization.ts";
import { type EdgeEndpoint, upstreamOf } from "./endpoints/edge-endpoint.ts";
import { createGuardedDispatch } from "./endpoints/guarded-dispatch.ts";
import type { Policy } from "./policy/policy.ts";
import { type Recorded, type Recording, type RequestRecord, watchRequests } from "./request-record.ts";
import { createUnknownEndpoint } from "./unknown-endpoint.ts";

export interface EdgeOptions {
  endpointAt(path: string): EdgeEndpoint | undefined;
  /** Returns the endpoint whose behavior a path has, if the path could be that of an upstream but no upstream has this name. */
  likeAt(path: string): EdgeEndpoint | undefined;
  settings: GatewaySettings;
  /** The policy of the settings. */
  policy: Policy | undefined;
  onDone(record: RequestRecord, recorded: Recorded | undefined): void;
  onRefused: AuthenticationOptions["onRefused"];
  /** Records the steps of a request. `onStep` is of another replica that wants them. Default: no steps are recorded. */
  createSteps?(onStep?: (step: RecordedStep) => void): StepRecorder;
  /** Whether administrators see the next request, and whether its steps are recorded. Default: they see all, without steps. */
  showsNext?(upstream: string | undefined): { readonly isShown: boolean; readonly hasSteps: boolean };
  /** Records spans of requests. Default: none are recorded. */
  tracing?: Tracing | undefined;
  /** Makes the affinity hints of callers. Default: responses have none. */
  affinityKey?: AffinityKey;
  /** Counts the requests of each caller. Default: in this process. */
  rates?: RateCounter | undefined;
  /** Returns the edge for clients of older revisions. */
  legacyOf?(endpoint: EdgeEndpoint): LegacyEdge | undefined;
}

export interface Edge {
  servableAt(path: string): Servable | undefined;
  /** Returns an endpoint for requests that another replica has admitted and counted. The policy still applies. */
  forwardedAt(path: string): Dispatch | undefined;
  /** What the caller with most has open. Undefined if callers do not authenticate. */
  callerUse(): CallerUse | undefined;
}

const shownWithoutSteps = { isShown: true, hasSteps: false } as const;

function beginRecording(
  { showsNext, createSteps, settings }: EdgeOptions,
  upstream: string | undefined,
): Recording | undefined {
  const { isShown, hasSteps } = showsNext?.(upstream) ?? shownWithoutSteps;
  if (!isShown) return undefined;
  return { steps: hasSteps ? createSteps?.() : undefined, keepsBodies: settings.admin?.bodies === true };
}

/** Builds an edge for these settings. Running requests keep the edge they began with. */
export function createEdge(options: EdgeOptions): Edge {
  const { endpointAt, settings, policy, createSteps } = options;
  const fixed = { authenticator: createAuthentication(settings, options), ...toAnswerHeaders(options) };
  const perCaller = settings.auth && callerLimits(settings.limits);
  const shared = createShared(options, perCaller);
  const made = new WeakMap<EdgeEndpoint, Servable>();
  const dispatches = new WeakMap<EdgeEndpoint, Dispatch>();

  function guardedOf(endpoint: EdgeEndpoint): Dispatch {
    return createGuardedDispatch(endpoint, policy, () => {
      const now = endpointAt(endpoint.path);
      return now && now !== endpoint ? dispatchOf(now) : undefined;
    });
  }

  function dispatchOf(endpoint: EdgeEndpoint): Dispatch {
    const known = dispatches.get(endpoint) ?? guardedOf(endpoint);
    dispatches.set(endpoint, known);
    return known;
  }

  function toServable(endpoint: EdgeEndpoint): Servable {
    const { path, servable } = endpoint;
    const watch = watchRequests({
      endpoint: path,
      upstreamOf: (requested, name) => upstreamOf(endpoint, requested, name),
      onDone(record, recorded) {
        options.tracing?.describe(record);
        options.onDone(record, recorded);
      },
      record: (upstream) => beginRecording(options, upstream),
    });
    // The record of a request describes its span, so that the span is the outer one.
    const traced = options.tracing ? [telemetry({ api: options.tracing.api })] : [];
    const dispatch = withMiddleware(guardedOf(endpoint), [...traced, watch, ...shared]);
    const legacy = options.legacyOf?.(endpoint);
    return {
      ...servable,
      dispatch,
      ...fixed,
      legacy,
      close() {
        legacy?.close();
        return servable.close?.();
      },
    };
  }

  function toNoEndpoint(path: string): Servable | undefined {
    const { authenticator } = fixed;
    const like = authenticator && options.likeAt(path);
    return like && createUnknownEndpoint(authenticator, options.legacyOf?.(like) !== undefined);
  }

  return {
    callerUse: () => perCaller?.use(),
    servableAt(path) {
      const endpoint = endpointAt(path);
      if (!endpoint) return toNoEndpoint(path);
      const known = made.get(endpoint);
      if (known) return known;
      const servable = toServable(endpoint);
      made.set(endpoint, servable);
      return servable;
    },
    forwardedAt(path) {
      const endpoint = endpointAt(path);
      if (!endpoint) return undefined;
      const dispatch = dispatchOf(endpoint);
      return (request, exchange) => {
        request.isForwarded = true;
        const given = readForwardedTrace(request);
        const steps = given?.isWatched ? createSteps?.((step) => exchange.notify(toStepNotification(step))) : undefined;
        setTrace(request, given ? { call: given.call, steps } : { steps });
        const answer = () => dispatch(request, exchange);
        return options.tracing ? options.tracing.replicas.receive(request, answer) : answer();
      };
    },
  };
}

function toAnswerHeaders({ affinityKey, settings }: EdgeOptions): Pick<Servable, "answerHeaders"> {
  const answerHeaders = affinityKey && createAffinityHints(affinityKey, settings);
  return answerHeaders ? { answerHeaders } : {};
}

/** All endpoints share these, because limits apply per caller and not per endpoint. */
function createShared({ settings, rates }: EdgeOptions, limits: CallerLimits | undefined): Middleware[] {
  const perCaller = settings.limits?.requestsPerMinute;
  const { extensions = [] } = settings.auth?.jwt ?? {};
  return [
    ...(perCaller === undefined ? [] : [rateLimit({ perCaller, counter: rates })]),
    ...(limits ? [limits.middleware] : []),
    ...(extensions.length > 0 ? [declareAuthorization(extensions)] : []),
  ];
}
