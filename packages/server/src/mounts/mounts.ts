// The servers that are mounted on one server.
import type { Dispatch } from "@lethe/protocol";
import { type LocalServer, localServerOf } from "./local-server.ts";
import { mountLocal } from "./mount-local.ts";
import type { Mountable, MountOptions } from "./mount-options.ts";

/** The mounted servers of `host`. */
export class Mounts {
  readonly #host: LocalServer;
  readonly #locals: LocalServer[] = [];

  constructor(host: LocalServer) {
    this.#host = host;
  }

  /** Throws an Error that names the prefix for a cycle, a collision and an invalid option. */
  add(prefix: string, other: Mountable | Dispatch, options: MountOptions): void {
    const dispatch = typeof other === "function" ? other : other.dispatch;
    const local = localServerOf(dispatch);
    if (local === undefined) throw new Error(`mount ${JSON.stringify(prefix)}: a server of this process expected`);
    if (local === this.#host || local.mounts()?.reaches(this.#host)) {
      throw new Error(`mount ${JSON.stringify(prefix)}: ${JSON.stringify(local.name)} would contain itself`);
    }
    mountLocal(this.#host, prefix, local, options);
    this.#locals.push(local);
  }

  /** Whether a server is mounted here or on a server that is mounted here. */
  reaches(server: LocalServer): boolean {
    return this.#locals.some((local) => local === server || local.mounts()?.reaches(server));
  }
}
