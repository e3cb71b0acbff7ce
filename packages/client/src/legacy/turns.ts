// Which calls may be in progress together at a server that does not show which of them asks (D-51): on stdio and HTTP+SSE
// nothing on the wire says it. A call that may ask runs alone, so that a request of the server is certainly its own. While
// its caller is being asked, calls that do not ask may run. Calls of one conversation never wait for each other.
import { type BackgroundTimer, startBackgroundTimer } from "../call/background-timer.ts";
import { TransportError } from "../call/transport-error.ts";
import { type Call, isForeign } from "./call.ts";
import { type CancelledCall, type CancelledCalls, createCancelledCalls } from "./cancelled-calls.ts";

export interface TurnOptions {
  /** How long a call waits for its turn, in milliseconds; then it fails as "busy". Default: as long as the call may take. */
  turnWaitMs?: number;
  /** How many calls may wait for their turn. Default 1,000. */
  maxWaitingCalls?: number;
}

export interface Turns {
  /** Cancelled calls that the server may be working on. */
  readonly left: CancelledCalls;
  /** Calls that may ask are in progress or wait, and others may have to wait for them. */
  readonly isTaken: boolean;
  /** Undefined when the call may begin at once. Else resolves when it may, or rejects with TransportError. */
  begin(call: Call): Promise<void> | undefined;
  /** Its caller is being asked. */
  pause(call: Call): void;
  /** Its caller has answered. Undefined when it may go on at once. Resolves after `turnWaitMs` at the latest. */
  resume(call: Call): Promise<void> | undefined;
  /** It has asked, and may ask again. */
  asked(call: Call): void;
  /** The server has answered it. */
  end(call: Call): void;
  /** It was cancelled. */
  leave(call: Call): void;
  /** From now on calls wait for each other: the wire does not show whose a request is. */
  require(): void;
  /** The connection has ended: what waits fails, and what comes does not wait. */
  close(error: TransportError): void;
}

interface Waiter {
  readonly call: Call;
  go(): void;
  fail(error: TransportError): void;
}

export interface TurnContext extends TurnOptions {
  readonly peer: string;
  /** False where the wire usually shows whose a request is. */
  readonly isAlwaysNeeded: boolean;
  /** True for calls of tools that are known to ask. */
  isAsking(call: CancelledCall): boolean;
}

export function createTurns(context: TurnContext): Turns {
  const { peer, isAlwaysNeeded, isAsking, ...options } = context;
  const { turnWaitMs = Number.POSITIVE_INFINITY, maxWaitingCalls = 1_000 } = options;
  let isNeeded = isAlwaysNeeded;
  let isClosed = false;
  const exclusives = new Set<Call>();
  /** The others in progress: how many stand alone, and how many there are of each conversation. */
  let lone = 0;
  const shared = new Map<string, number>();
  const waiting = new Map<Call, Waiter>();
  const resuming = new Map<Call, Waiter>();
  const left = createCancelledCalls(isAsking, wake);

  function join(call: Call): void {
    call.hasTurn = true;
    const { turn, conversation } = call;
    if (turn === "exclusive") exclusives.add(call);
    else if (conversation === undefined) lone += 1;
    else shared.set(conversation, (shared.get(conversation) ?? 0) + 1);
  }

  function part(call: Call): void {
    if (!call.hasTurn) return;
    call.hasTurn = false;
    const { conversation } = call;
    if (exclusives.delete(call)) return;
    if (conversation === undefined) lone -= 1;
    else if (shared.get(conversation) === 1) shared.delete(conversation);
    else shared.set(conversation, (shared.get(conversation) ?? 1) - 1);
  }

  /** Whether another conversation has such a call in progress that may ask. */
  function hasExclusive(call: Call, isPaused: boolean): boolean {
    for (const other of exclusives) if (isForeign(other, call) && other.isPaused === isPaused) return true;
    return false;
  }

  function hasShared({ conversation }: Call): boolean {
    if (lone > 0) return true;
    return shared.size > (conversation !== undefined && shared.has(conversation) ? 1 : 0);
  }

  function mayBegin(call: Call): boolean {
    if (hasExclusive(call, false)) return false;
    return call.turn === "shared" || !(hasExclusive(call, true) || hasShared(call) || left.hasFresh(call));
  }

  /** Two that are paused could wait for each other's users. */
  function mayResume(call: Call): boolean {
    return !hasExclusive(call, false) && !hasShared(call);
  }

  function wake(): void {
    for (const { call, go } of resuming.values()) if (mayResume(call)) go();
    if (resuming.size > 0) return;
    for (const { call, go, fail } of waiting.values()) {
      if (isLost(call)) fail(lostTrack());
      else if (mayBegin(call)) go();
      // First come, first served; but behind a call whose user is being asked nobody waits without need.
      else if (!hasExclusive(call, true)) return;
    }
  }

  /** `late` is what happens after `turnWaitMs`. */
  function wait(call: Call, queue: Map<Call, Waiter>, onTurn: () => void, onLate: (waiter: Waiter) => void) {
    let timer: BackgroundTimer | undefined;
    const { promise, resolve, reject } = withResolvers();
    const over = (): void => {
      clearTimeout(timer);
      queue.delete(call);
    };
    const waiter: Waiter = {
      call,
      go() {
        over();
        onTurn();
        resolve();
      },
      fail(error) {
        over();
        reject(error);
      },
    };
    queue.set(call, waiter);
    if (Number.isFinite(turnWaitMs)) timer = startBackgroundTimer(() => onLate(waiter), turnWaitMs);
    wake();
    return promise;
  }

  /** What it asks could be what a cancelled call asks. */
  function isLost(call: Call): boolean {
    return isNeeded && left.size > 0 && call.turn === "exclusive" && isAsking(call) && left.hasStale(call);
  }

  function lostTrack(): TransportError {
    const what = `${peer} may still ask for a call that was cancelled: begin another connection for calls that ask`;
    return new TransportError("lost_track", what);
  }

  function busy(what: string): TransportError {
    const message = `${peer} does not say which call asks its caller, and ${what}`;
    return new TransportError("busy", message, Number.isFinite(turnWaitMs) ? { retryAfterMs: turnWaitMs } : {});
  }

  return {
    left,
    get isTaken() {
      return isNeeded && (exclusives.size > 0 || waiting.size > 0);
    },
    begin(call) {
      if (call.turn === "none") return undefined;
      if (isLost(call)) return Promise.reject(lostTrack());
      if (!isNeeded || isClosed || (waiting.size === 0 && resuming.size === 0 && mayBegin(call))) {
        join(call);
        return undefined;
      }
      if (waiting.size >= maxWaitingCalls) {
        return Promise.reject(busy(`${maxWaitingCalls} calls wait for another one that may ask`));
      }
      return wait(
        call,
        waiting,
        () => join(call),
        ({ fail }) => {
          fail(busy(`another call that may ask was in progress for ${turnWaitMs} ms`));
          wake();
        },
      );
    },
    pause(call) {
      call.isPaused = true;
      wake();
    },
    resume(call) {
      const goOn = (): void => {
        call.isPaused = false;
      };
      if (!isNeeded || call.turn !== "exclusive" || mayResume(call)) {
        goOn();
        return undefined;
      }
      return wait(call, resuming, goOn, ({ go }) => {
        go();
        wake();
      });
    },
    asked(call) {
      if (call.turn === "exclusive" || !call.isSent) return;
      part(call);
      call.turn = "exclusive";
      join(call);
    },
    end(call) {
      left.settle(call.id);
      part(call);
      wake();
    },
    leave(call) {
      const waiter = waiting.get(call) ?? resuming.get(call);
      waiter?.fail(new TransportError("cancelled", "cancelled by the caller"));
      if (call.isSent && call.turn !== "none") left.add(call);
      part(call);
      wake();
    },
    require() {
      isNeeded = true;
    },
    close(error) {
      isClosed = true;
      for (const { fail } of [...waiting.values(), ...resuming.values()]) fail(error);
      left.clear();
    },
  };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve: () => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<void>((onDone, onFailed) => {
    resolve = onDone;
    reject = onFailed;
  });
  return { promise, resolve, reject };
}
