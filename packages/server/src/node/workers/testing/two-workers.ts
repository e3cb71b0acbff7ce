// Two workers of one parent: one asks, the other owns sessions and runs requests.
import type { Dispatch, Exchange } from "@lethe/protocol";
import { expect, vi } from "vitest";
import type { ParentLink } from "../parent-link.ts";
import { WorkerDirectory, type WorkerDirectoryOptions } from "../worker-directory.ts";
import { createLinkedWorkers, type LinkedWorkers } from "./linked-workers.ts";

export interface TwoOptions {
  /** Whether they have a pipe of their own. Default false. */
  readonly isPaired?: boolean;
  readonly asker?: Partial<WorkerDirectoryOptions>;
  readonly owner?: Partial<WorkerDirectoryOptions>;
}

export interface TwoWorkers {
  readonly workers: LinkedWorkers;
  readonly one: ParentLink;
  readonly two: ParentLink;
  readonly asker: WorkerDirectory;
  readonly owner: WorkerDirectory;
  /** Connects the two by a pipe of their own. */
  pair(): void;
}

export async function startTwo(dispatch?: Dispatch, options: TwoOptions = {}): Promise<TwoWorkers> {
  const workers = createLinkedWorkers();
  const [one, two] = [await workers.join(), await workers.join()];
  await vi.waitFor(() => expect(one.peers).toHaveLength(2));
  const [asker, owner] = [directoryOf(one, undefined, options.asker), directoryOf(two, dispatch, options.owner)];
  const pair = () => workers.pair({ link: one, directory: asker }, { link: two, directory: owner });
  if (options.isPaired) pair();
  return { workers, one, two, asker, owner, pair };
}

function directoryOf(
  link: ParentLink,
  dispatch?: Dispatch,
  more: Partial<WorkerDirectoryOptions> = {},
): WorkerDirectory {
  return new WorkerDirectory({ link, dispatchAt: () => dispatch, onProblem: () => {}, ...more });
}

export function exchangeOf(more: Partial<Exchange> = {}): Exchange {
  return { signal: new AbortController().signal, notify: () => true, drained: async () => {}, ...more } as Exchange;
}
