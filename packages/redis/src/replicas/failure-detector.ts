// Detects that a replica, with which this one exchanges requests, has failed. Redis reports at once that a killed process has no
// subscription. A replica that only stops answering, because its machine is gone or stalled, gets more time.
import type { Messaging } from "../messages/messaging.ts";
import type { Message } from "./message.ts";

export interface FailureDetectorOptions {
  readonly messaging: Messaging<Message>;
  /** A replica that sends nothing for this time after a ping has failed, in ms. `look` is called ten times in it. */
  readonly silenceMs: number;
  /** Called periodically between `begin` and `end`: pings the replicas that matter. */
  look(): void;
  onFailed(replica: string): void;
}

export interface FailureDetector {
  readonly everyMs: number;
  /** Starts the periodic check unless it runs. */
  begin(): void;
  /** Stops the periodic check and forgets all replicas. */
  end(): void;
  /** Sends a message that a living replica answers. */
  ping(replica: string, message: Message): void;
  receivedFrom(replica: string): void;
  /** How long the replica has sent nothing, in ms, counted from the first ping. */
  silenceOf(replica: string): number;
}

interface Watched {
  receivedAt: number;
  /** When the first ping was sent that has no reply. */
  pingedAt: number | undefined;
  /** How many pings in a row had no subscriber. */
  misses: number;
}

/** One miss may be a reconnect. */
const maxMisses = 2;

export function createFailureDetector({
  messaging,
  silenceMs,
  look,
  onFailed,
}: FailureDetectorOptions): FailureDetector {
  const everyMs = silenceMs / 10;
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;

  function watch(replica: string): Watched {
    const known = watched.get(replica);
    if (known) return known;
    const made = { receivedAt: performance.now(), pingedAt: undefined, misses: 0 };
    watched.set(replica, made);
    return made;
  }

  function lose(replica: string): void {
    watched.delete(replica);
    onFailed(replica);
  }

  return {
    everyMs,
    begin() {
      timer ??= setInterval(look, everyMs).unref();
    },
    end() {
      clearInterval(timer);
      timer = undefined;
      watched.clear();
    },
    ping(replica, message) {
      const peer = watch(replica);
      peer.pingedAt ??= performance.now();
      if (performance.now() - peer.pingedAt >= silenceMs) {
        lose(replica);
        return;
      }
      messaging.send(replica, message).then(
        (receivers) => {
          peer.misses = receivers === 0 ? peer.misses + 1 : 0;
          if (peer.misses >= maxMisses && watched.get(replica) === peer) lose(replica);
        },
        // Redis is away: `silenceMs` decides.
        () => {},
      );
    },
    receivedFrom(replica) {
      const peer = watched.get(replica);
      if (peer) Object.assign(peer, { receivedAt: performance.now(), pingedAt: undefined, misses: 0 });
    },
    silenceOf: (replica) => performance.now() - watch(replica).receivedAt,
  };
}
