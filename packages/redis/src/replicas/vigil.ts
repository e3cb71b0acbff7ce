// Whether the replicas live that this one has requests with. Of one that was killed Redis knows at once that nobody hears it;
// one that only does not answer, because its machine is gone or stands still, is given more time.
import type { Mail } from "../mail/mail.ts";
import type { Message } from "./message.ts";

export interface VigilOptions {
  readonly mail: Mail<Message>;
  /** One that says nothing for so long is gone, in ms; `look` is called ten times meanwhile. */
  readonly silenceMs: number;
  /** Every so often, while anybody is watched: `ping` those who matter. */
  look(): void;
  onGone(replica: string): void;
}

export interface Vigil {
  readonly everyMs: number;
  /** Begins to look, if it has not. */
  begin(): void;
  /** Nobody has to be watched any more. */
  end(): void;
  /** Says something to one that is to be heard of, as long as it lives. */
  ping(replica: string, message: Message): void;
  heardOf(replica: string): void;
  /** How long it has said nothing, in ms, since it was first asked about here. */
  silenceOf(replica: string): number;
}

interface Watched {
  heardAt: number;
  /** When the first ping was sent that nothing has come after. */
  pingedAt: number | undefined;
  /** How often in a row nobody heard a ping. */
  misses: number;
}

/** One miss may be a connection that comes back. */
const maxMisses = 2;

export function createVigil({ mail, silenceMs, look, onGone }: VigilOptions): Vigil {
  const everyMs = silenceMs / 10;
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;

  function watch(replica: string): Watched {
    const known = watched.get(replica);
    if (known) return known;
    const made = { heardAt: performance.now(), pingedAt: undefined, misses: 0 };
    watched.set(replica, made);
    return made;
  }

  function lose(replica: string): void {
    watched.delete(replica);
    onGone(replica);
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
      mail.send(replica, message).then(
        (heard) => {
          peer.misses = heard === 0 ? peer.misses + 1 : 0;
          if (peer.misses >= maxMisses && watched.get(replica) === peer) lose(replica);
        },
        // Redis is away: the silence is measured.
        () => {},
      );
    },
    heardOf(replica) {
      const peer = watched.get(replica);
      if (peer) Object.assign(peer, { heardAt: performance.now(), pingedAt: undefined, misses: 0 });
    },
    silenceOf: (replica) => performance.now() - watch(replica).heardAt,
  };
}
