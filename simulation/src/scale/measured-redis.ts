// The simulated Redis with a counter at its door, and with the speed of a real one.
import type { Reply, ReplyError } from "../redis/reply.ts";
import { type ClientSession, SimulatedRedis } from "../redis/simulated-redis.ts";
import type { Agenda } from "../world/agenda.ts";
import type { Random } from "../world/random.ts";
import { costUs } from "./redis-cost.ts";
import { purposeOf } from "./script-names.ts";
import type { Traffic } from "./traffic.ts";
import { commandSize, messageSize, replySize } from "./wire-size.ts";

type Respond = (outcome: Reply | ReplyError) => void;

interface Waiting {
  readonly session: ClientSession;
  readonly words: readonly string[];
  readonly respond: Respond;
}

export interface MeasuredRedisOptions {
  readonly agenda: Agenda;
  readonly random: Random;
  readonly traffic: Traffic;
}

export class MeasuredRedis extends SimulatedRedis {
  /** Whether a command waits until those before it are done. Otherwise commands take no time. */
  isTimed = false;
  /** Sessions that replicas recorded again since the start of this Redis. */
  recorded = 0;
  readonly #agenda: Agenda;
  readonly #traffic: Traffic;
  readonly #calls: { inner: number };
  /** The counted end of each connection. */
  readonly #counted = new Map<ClientSession, ClientSession>();
  #waiting: Waiting[] = [];
  #isBusy = false;

  constructor({ agenda, random, traffic }: MeasuredRedisOptions) {
    const calls = { inner: 0 };
    super({
      now: () => 1_700_000_000_000 + agenda.now,
      random: () => random.next(),
      onCommand() {
        calls.inner += 1;
      },
    });
    this.#agenda = agenda;
    this.#traffic = traffic;
    this.#calls = calls;
  }

  override open(session: ClientSession): void {
    const counted: ClientSession = {
      message: (channel, text) => {
        this.#traffic.delivered(messageSize(channel, text));
        session.message(channel, text);
      },
      closed: () => session.closed(),
    };
    this.#counted.set(session, counted);
    super.open(counted);
  }

  override close(session: ClientSession): void {
    const counted = this.#counted.get(session);
    if (!counted) return;
    this.#counted.delete(session);
    super.close(counted);
  }

  override receive(session: ClientSession, words: readonly string[], respond: Respond): void {
    if (!this.isTimed) {
      this.#run({ session, words, respond }, (reply) => reply());
      return;
    }
    this.#waiting.push({ session, words, respond });
    if (!this.#isBusy) this.#next();
  }

  override stop(): void {
    this.#waiting = [];
    this.#counted.clear();
    this.recorded = 0;
    super.stop();
  }

  #next(): void {
    const first = this.#waiting.shift();
    this.#isBusy = first !== undefined;
    if (!first) return;
    let isRun = false;
    this.#run(first, (reply, us) => {
      isRun = true;
      this.#agenda.after(us / 1_000, () => {
        reply();
        this.#next();
      });
    });
    if (!isRun) this.#next();
  }

  /** Calls `done` unless the connection is closed. */
  #run({ session, words, respond }: Waiting, done: (reply: () => void, us: number) => void): void {
    const counted = this.#counted.get(session);
    if (!counted) return;
    const before = this.#calls.inner;
    super.receive(counted, words, (outcome) => {
      const isScript = words[0]?.toUpperCase().startsWith("EVAL");
      const inner = isScript ? this.#calls.inner - before : 0;
      const us = costUs(inner);
      const purpose = purposeOf(words);
      if (purpose === "record" && Array.isArray(outcome)) this.recorded += outcome.length;
      this.#traffic.command(purpose, { inner, bytesIn: commandSize(words), bytesOut: replySize(outcome) }, us);
      done(() => respond(outcome), us);
    });
  }
}
