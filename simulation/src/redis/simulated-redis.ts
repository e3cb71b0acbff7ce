// One simulated Redis: executes commands and scripts, delivers messages, and fails as a real one does.
import { createHash } from "node:crypto";
import { findCommand } from "./commands/table.ts";
import { Keyspace } from "./keyspace.ts";
import { LuaScripts } from "./lua.ts";
import { outOfMemory, type Reply, ReplyError } from "./reply.ts";

/** The server's end of one connection. */
export interface ClientSession {
  message(channel: string, text: string): void;
  /** Redis has closed the connection. */
  closed(): void;
}

export interface SimulatedRedisOptions {
  /** Its clock, in ms since 1970. */
  now(): number;
  random(): number;
  /** Called with the name of each command, also for those that a script calls. */
  onCommand?(name: string): void;
}

/** Scripts of all schedules of this thread: compiling one takes longer than running it. */
let scripts: LuaScripts | undefined;
const digests = new Map<string, string>();

export class SimulatedRedis {
  readonly #options: SimulatedRedisOptions;
  readonly #lua: LuaScripts;
  #keyspace: Keyspace;
  #runId: string;
  #known = new Map<string, string>();
  readonly #sessions = new Set<ClientSession>();
  readonly #channels = new Map<string, Set<ClientSession>>();
  #isUp = true;
  #nextData: Keyspace | undefined;
  /** Commands that wait while it stands still. */
  #stalled: (() => void)[] | undefined;
  isFull = false;

  constructor(options: SimulatedRedisOptions) {
    this.#options = options;
    this.#keyspace = new Keyspace(options.now);
    this.#runId = this.#newRunId();
    scripts ??= new LuaScripts();
    this.#lua = scripts;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get isStalled(): boolean {
    return this.#stalled !== undefined;
  }

  /** A copy of the data, as a file or a stand-by has it. */
  snapshot(): Keyspace {
    return this.#keyspace.clone();
  }

  /** Ends the process: all connections close. The next one starts with `data`, or empty. */
  stop(data?: Keyspace): void {
    this.#isUp = false;
    this.#nextData = data;
    this.#stalled = undefined;
    this.#known.clear();
    this.#channels.clear();
    const open = [...this.#sessions];
    this.#sessions.clear();
    for (const session of open) session.closed();
  }

  start(): void {
    if (this.#isUp) return;
    this.#keyspace = this.#nextData ?? new Keyspace(this.#options.now);
    this.#runId = this.#newRunId();
    this.#isUp = true;
  }

  stall(): void {
    this.#stalled ??= [];
  }

  resume(): void {
    const waiting = this.#stalled ?? [];
    this.#stalled = undefined;
    for (const run of waiting) run();
  }

  open(session: ClientSession): void {
    this.#sessions.add(session);
  }

  close(session: ClientSession): void {
    this.#whenRunning(() => {
      this.#sessions.delete(session);
      for (const [channel, subscribers] of this.#channels) {
        if (subscribers.delete(session) && subscribers.size === 0) this.#channels.delete(channel);
      }
    });
  }

  /** Calls `reply` when the command has run, with its reply or a ReplyError. Commands of a closed session are dropped. */
  receive(session: ClientSession, words: readonly string[], reply: (outcome: Reply | ReplyError) => void): void {
    this.#whenRunning(() => {
      if (!this.#sessions.has(session)) return;
      reply(this.#attempt(session, words));
    });
  }

  /** Runs a command. Throws ReplyError. */
  execute(words: readonly string[]): Reply {
    const [name = "", ...args] = words;
    switch (name.toUpperCase()) {
      case "EVAL":
        return this.#eval(args[0] as string, args.slice(1));
      case "EVALSHA": {
        const text = this.#known.get(args[0] as string);
        if (text === undefined) throw new ReplyError("NOSCRIPT No matching script. Please use EVAL.");
        return this.#eval(text, args.slice(1));
      }
      case "INFO":
        return this.#info();
      default:
        return this.#run(name, args, { isFull: this.isFull });
    }
  }

  #attempt(session: ClientSession, [name = "", ...args]: readonly string[]): Reply | ReplyError {
    const command = name.toUpperCase();
    if (command === "SUBSCRIBE" || command === "UNSUBSCRIBE") {
      for (const channel of args) this.#setSubscribed(session, channel, command === "SUBSCRIBE");
      return args.length;
    }
    try {
      return this.execute([name, ...args]);
    } catch (error) {
      if (error instanceof ReplyError) return error;
      throw error;
    }
  }

  #setSubscribed(session: ClientSession, channel: string, isSubscribed: boolean): void {
    const subscribers = this.#channels.get(channel) ?? new Set();
    if (isSubscribed) subscribers.add(session);
    else subscribers.delete(session);
    if (subscribers.size > 0) this.#channels.set(channel, subscribers);
    else this.#channels.delete(channel);
  }

  #eval(text: string, [count = "", ...rest]: readonly string[]): Reply {
    let digest = digests.get(text);
    if (digest === undefined) {
      digest = createHash("sha1").update(text).digest("hex");
      digests.set(text, digest);
    }
    this.#known.set(digest, text);
    const keyCount = Number(count);
    // Redis checks its memory once per script, and not at all after the first command that writes.
    const memory = { isFull: this.isFull };
    return this.#lua.run(text, rest.slice(0, keyCount), rest.slice(keyCount), (name, args) =>
      this.#run(name, args, memory),
    );
  }

  #run(name: string, args: readonly string[], memory: { isFull: boolean }): Reply {
    const command = findCommand(name, args.length);
    if (memory.isFull && command.needsMemory) throw new ReplyError(outOfMemory);
    if (command.writes) memory.isFull = false;
    const { now, random, onCommand } = this.#options;
    onCommand?.(name);
    return command.run(
      {
        keyspace: this.#keyspace,
        ...{ now, random },
        publish: (channel, text) => this.#publish(channel, text),
        subscribers: (channel) => this.#channels.get(channel)?.size ?? 0,
      },
      args,
    );
  }

  #publish(channel: string, text: string): number {
    const subscribers = this.#channels.get(channel);
    if (!subscribers) return 0;
    for (const session of subscribers) session.message(channel, text);
    return subscribers.size;
  }

  #info(): string {
    const { isFull } = this;
    const lines = [
      ...["# Server", "redis_version:7.0.15", "redis_mode:standalone", `run_id:${this.#runId}`],
      ...[
        "# Memory",
        `used_memory:${isFull ? 200 : 50}`,
        `maxmemory:${isFull ? 100 : 0}`,
        "maxmemory_policy:noeviction",
      ],
      ...["# Persistence", "loading:0", "# Replication", "role:master", `master_replid:${this.#runId}`],
    ];
    return `${lines.join("\r\n")}\r\n`;
  }

  #newRunId(): string {
    return Math.floor(this.#options.random() * 2 ** 40)
      .toString(16)
      .padStart(40, "0");
  }

  #whenRunning(run: () => void): void {
    if (!this.#isUp) return;
    if (this.#stalled) this.#stalled.push(run);
    else run();
  }
}
