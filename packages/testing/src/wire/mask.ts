// Replaces values that differ from run to run: ids, times, tokens and sealed state. Equal values get equal names.
import { metaKey } from "@lethe/protocol";

/** Members whose values are ids or tokens, and the names of their placeholders. */
const volatile: Readonly<Record<string, string>> = {
  requestState: "state",
  progressToken: "progress",
  taskId: "task",
  elicitationId: "elicitation",
  traceparent: "trace",
  cursor: "cursor",
  nextCursor: "cursor",
};

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const port = /(?<=\b(?:localhost|127\.0\.0\.1|\[::1\]):)\d+/g;
/** Characters. A shorter id may be an ordinary word, and is replaced only where its member says that it is one. */
const shortestId = 8;

export class Mask {
  readonly #own: ReadonlySet<string>;
  /** Placeholders by kind and value. */
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  /** Long ids, which may recur in texts. */
  readonly #ids = new Map<string, string>();

  /** `own` names further members to mask. */
  constructor(own: readonly string[]) {
    this.#own = new Set(own);
  }

  /** The placeholder of a value: `<task 1>` for the first task, `<task 2>` for the second. */
  nameOf(kind: string, value: unknown): string {
    const key = `${kind} ${JSON.stringify(value)}`;
    let name = this.#names.get(key);
    if (name === undefined) {
      const count = (this.#counts.get(kind) ?? 0) + 1;
      this.#counts.set(kind, count);
      name = `<${kind} ${count}>`;
      this.#names.set(key, name);
      if (typeof value === "string" && value.length >= shortestId) this.#ids.set(value, name);
    }
    return name;
  }

  /** A copy with sorted members and placeholders. `named` takes the place of the ids of other messages. */
  value(value: unknown, named?: string): unknown {
    if (typeof value === "string") return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item, named));
    if (typeof value !== "object" || value === null) return value;
    const members = value as Record<string, unknown>;
    const names = Object.keys(members).sort();
    return Object.fromEntries(names.map((name) => [name, this.#member(name, members[name], named)]));
  }

  #member(name: string, value: unknown, named: string | undefined): unknown {
    if (named !== undefined && (name === metaKey.subscriptionId || name === "requestId")) return `<${named}>`;
    if (this.#own.has(name)) return this.nameOf(name, value);
    const kind = Object.hasOwn(volatile, name) ? volatile[name] : undefined;
    const isId = typeof value === "string" || typeof value === "number";
    return kind !== undefined && isId ? this.nameOf(kind, value) : this.value(value, named);
  }

  #text(text: string): string {
    let masked = text;
    for (const [id, name] of this.#ids) masked = masked.replaceAll(id, name);
    return masked
      .replace(uuid, (id) => this.nameOf("uuid", id))
      .replace(time, "<time>")
      .replace(port, "<port>");
  }
}
