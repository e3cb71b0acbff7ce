// The servers that are mounted on one server.
import { type Dispatch, nameOf } from "@lethe/protocol";
import { placeOf } from "../features/defining.ts";
import { type LocalServer, localServerOf } from "./local-server.ts";
import { mountLocal } from "./mount-local.ts";
import type { Mountable, MountOptions } from "./mount-options.ts";
import { createMountRules } from "./mount-rules.ts";
import { RemoteMount } from "./remote-mount.ts";

/** The mounted servers of `host`. */
export class Mounts {
  readonly #host: LocalServer;
  readonly #locals: LocalServer[] = [];
  readonly #remotes: RemoteMount[] = [];
  readonly #closers: (() => void | Promise<void>)[] = [];

  constructor(host: LocalServer) {
    this.#host = host;
  }

  /** Throws an Error that names the prefix for a cycle, a collision and an invalid option. */
  add(prefix: string, other: Mountable | Dispatch, options: MountOptions): void {
    const target: Partial<Mountable> | null | undefined = typeof other === "function" ? { dispatch: other } : other;
    if (!isMountable(target)) {
      const hint = typeof other === "string" ? "; proxy(url) of @lethe/client stands for a remote server" : "";
      throw new Error(
        `${placeOf("mount", prefix)}: a server, a connection or the result of proxy or openapi expected, got ${nameOf(other)}${hint}`,
      );
    }
    const local = localServerOf(target.dispatch);
    if (local === undefined) {
      this.#addRemote(prefix, target, options);
      return;
    }
    if (local === this.#host || local.mounts()?.reaches(this.#host)) {
      throw new Error(`mount ${JSON.stringify(prefix)}: ${JSON.stringify(local.name)} would contain itself`);
    }
    mountLocal(this.#host, prefix, local, options);
    this.#locals.push(local);
  }

  #addRemote(prefix: string, target: Mountable, options: MountOptions): void {
    const { include, exclude } = options;
    if (include?.tags || exclude?.tags) {
      throw new Error(
        `mount ${JSON.stringify(prefix)}: the tags of a server that is not of this process are unknown: select by names`,
      );
    }
    this.#remotes.push(new RemoteMount(this.#host, target.dispatch, createMountRules(prefix, options), options));
    const { closeWithServer } = target;
    if (closeWithServer) this.#closers.push(() => closeWithServer.call(target));
  }

  /** Whether a server is mounted here or on a server that is mounted here. */
  reaches(server: LocalServer): boolean {
    return this.#locals.some((local) => local === server || local.mounts()?.reaches(server));
  }

  /** Whether requests may reach servers that are not of this process. */
  get hasForwards(): boolean {
    return (
      this.#remotes.length > 0 || this.#locals.some((local) => local.hasMiddleware() || local.mounts()?.hasForwards)
    );
  }

  /** Resolves when the lists of every server were read or could not be read. Undefined when a request need not wait. */
  ready(): Promise<unknown> | undefined {
    let waiting: Promise<unknown>[] | undefined;
    for (const mount of this.#remotes) waiting = append(waiting, mount.ready());
    for (const local of this.#locals) waiting = append(waiting, local.mounts()?.ready());
    return waiting && Promise.all(waiting);
  }

  async close(): Promise<void> {
    for (const mount of this.#remotes) mount.close();
    await Promise.all(this.#closers.map((close) => close()));
  }
}

function isMountable(target: Partial<Mountable> | null | undefined): target is Mountable {
  return typeof target?.dispatch === "function";
}

function append<T>(list: T[] | undefined, item: T | undefined): T[] | undefined {
  if (item === undefined) return list;
  return list === undefined ? [item] : [...list, item];
}
