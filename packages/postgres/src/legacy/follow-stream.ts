// Follows one event stream until it ends or the process that writes it dies.
import { type FollowedReads, followReads } from "@lethe/server/forwarding";
import type { Following } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { readEvents } from "./event-statements.ts";

export interface FollowedStream extends Omit<FollowedReads, "read" | "subscribe"> {
  readonly postgres: Pick<PostgresLink, "prefix" | "run" | "subscribe">;
  /** The name of the stream and of its channel. */
  readonly stream: string;
}

interface EventRow {
  readonly seq: number | null;
  readonly event: string | null;
  readonly isEnded: boolean;
  readonly isAlive: boolean;
}

/** Resolves with undefined when the stream is unknown or its writer is dead. Rejects when PostgreSQL is away. */
export function followStream({ postgres, stream, ...followed }: FollowedStream): Promise<Following | undefined> {
  return followReads({
    ...followed,
    async read(after, deliver) {
      const rows = await postgres.run<EventRow>(readEvents, [postgres.prefix, stream, after]);
      for (const { seq, event } of rows) if (seq !== null && event !== null) deliver(seq, event);
      const [first] = rows;
      if (first?.isEnded) return "ended";
      return first?.isAlive ? "growing" : "lost";
    },
    subscribe: (onChange) => postgres.subscribe(stream, onChange),
  });
}
