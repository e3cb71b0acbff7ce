// Workers and their parent in one process, connected by streams in memory.
import { randomUUID } from "node:crypto";
import { Duplex, PassThrough } from "node:stream";
import { ParentHub } from "../parent-hub.ts";
import { ParentLink } from "../parent-link.ts";
import { StoreHost } from "../store-host.ts";
import type { WorkerDirectory } from "../worker-directory.ts";

/** A worker that takes an end of a pipe to another one. */
export interface LinkedWorker {
  readonly link: ParentLink;
  readonly directory: WorkerDirectory;
}

export interface LinkedWorkers {
  readonly hub: ParentHub;
  readonly cut: { number: number; reason: string }[];
  /** Starts a worker. Resolves when it knows of itself. */
  join(): Promise<ParentLink>;
  /** Connects two workers by a pipe of their own. */
  pair(one: LinkedWorker, other: LinkedWorker): void;
  /** Breaks the pipes between this worker and others. */
  breakPipes(link: ParentLink): void;
  /** Ends a worker as if its process was killed. */
  kill(link: ParentLink): void;
}

export function createLinkedWorkers(): LinkedWorkers {
  const cut: { number: number; reason: string }[] = [];
  const hub = new ParentHub({
    stores: new StoreHost(),
    onCut: (number, reason) => cut.push({ number, reason }),
    onControl: () => {},
  });
  let last = 0;
  const pipes = new Map<ParentLink, Duplex[]>();
  const connect = ({ directory }: LinkedWorker, { link }: LinkedWorker, pipe: Duplex): void => {
    directory.connect(link.number, pipe);
    pipes.set(link, [...(pipes.get(link) ?? []), pipe]);
  };
  const breakPipes = (link: ParentLink): void => {
    for (const pipe of pipes.get(link) ?? []) pipe.destroy();
  };
  return {
    hub,
    cut,
    async join() {
      last += 1;
      const [one, other] = createPair();
      const link = new ParentLink({ stream: one, self: randomUUID(), number: last });
      const known = new Promise<void>((resolve) => {
        const stop = link.onPeers((peers) => {
          if (peers.some(({ id }) => id === link.self)) {
            stop();
            resolve();
          }
        });
      });
      hub.join({ number: last, id: link.self, stream: other });
      await known;
      return link;
    },
    pair(one, other) {
      const [here, there] = createPair();
      connect(one, other, here);
      connect(other, one, there);
    },
    breakPipes,
    kill(link) {
      link.close();
      breakPipes(link);
      hub.left(link.number);
    },
  };
}

function createPair(): [Duplex, Duplex] {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const pair: [Duplex, Duplex] = [
    Duplex.from({ writable: there, readable: back }),
    Duplex.from({ writable: back, readable: there }),
  ];
  for (const end of pair) end.on("error", () => {});
  return pair;
}
