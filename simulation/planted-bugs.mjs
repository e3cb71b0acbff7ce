// Bugs that the simulation must find. Each changes the text of modules when the bundle is built: production code has no switch for it.

/** By name: the modules, and for each text that they contain what it says with the bug. */
const bugs = {
  "renewal-counted-before-it-succeeded": {
    modules: /redis\/src\/replicas\/lease\.ts$/,
    changes: [
      ["await this.#renewOnce();", "evidence.confirm(sentAt + timings.validMs);\n      await this.#renewOnce();"],
    ],
  },
  "lease-judged-by-the-wrong-clock": {
    modules: /redis\/src\/(?:replicas|peers)\/[a-z-]+\.ts$/,
    changes: [["clock.now()", "clock.wallTime()"]],
  },
  "stale-owner-after-a-miss": {
    modules: /server\/src\/node\/forwarding\/recent-owners\.ts$/,
    changes: [
      ["this.#alive.delete(replica);\n", ""],
      ["this.#contradictions.set(replica, (this.#contradictions.get(replica) ?? 0) + 1);", ""],
      ["clock.now() < (this.#alive.get(replica) ?? 0)", "this.#alive.has(replica)"],
      ["this.#options.clock.now() < until && ", ""],
    ],
  },
  "unacknowledged-counted-as-not-sent": {
    modules: /redis\/src\/links\/link\.ts$/,
    changes: [["unsent.has(number) ?", "true ?"]],
  },
  "sent-again-with-another-number": {
    modules: /redis\/src\/messages\/messaging\.ts$/,
    changes: [
      [
        "return direct.send(to, number, message);",
        "return direct.send(to, number, message).catch(() => this.send(to, message));",
      ],
    ],
  },
};

/** A plug-in for the bundler. Throws for an unknown name, and when the code does not contain what the bug changes. */
export function plant(name) {
  const bug = bugs[name];
  if (!bug) throw new Error(`--plant: one of ${Object.keys(bugs).join(", ")} expected, got ${name}`);
  const done = new Set();
  return {
    name: "plant",
    transform(code, id) {
      if (!bug.modules.test(id)) return undefined;
      let text = code;
      for (const [from, to] of bug.changes) {
        if (text.includes(from)) done.add(from);
        text = text.replaceAll(from, to);
      }
      return text;
    },
    buildEnd() {
      for (const [from] of bug.changes)
        if (!done.has(from)) throw new Error(`no module contains "${from}": adapt planted-bugs.mjs`);
    },
  };
}
