// Operators choose the keys of a configuration freely: no key may have a meaning in JavaScript, such as __proto__.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.ts";
import type { ReadConfig } from "./read-config.ts";
import { parseSourceFile } from "./source-file.ts";
import { toConfig } from "./to-config.ts";
import { toUpstreamName } from "./upstream-name.ts";

const inherited = [...Object.getOwnPropertyNames(Object.prototype), "prototype", "then"];
const key = fc.oneof(fc.constantFrom(...inherited), fc.string({ unit: "binary", minLength: 1 }));
const text = fc.string({ unit: fc.constantFrom(..."abc 123.-") });
const texts = fc.dictionary(key, text, { maxKeys: 5, noNullPrototype: true }).map((given) => Object.entries(given));

/** JSON.stringify keeps each of them, also `__proto__`. */
function toObject(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}

function read(document: object): ReadConfig {
  return toConfig([parseSourceFile("servers.json", JSON.stringify(document))], { environment: {} });
}

describe("names that every JavaScript object inherits", () => {
  it.each(inherited)("serves a server with the inherited name %s", (name) => {
    const { config, notes } = read({
      mcpServers: toObject([[name, { url: "https://h/mcp" }]]),
      gateway: { upstreams: toObject([[name, { prefix: "p" }]]) },
    });
    const served = toUpstreamName(name);
    expect(config.upstreams).toEqual([{ kind: "http", name: served, url: "https://h/mcp", headers: {}, prefix: "p" }]);
    expect(notes).toEqual(served === name ? [] : [`"${name}" is served under the name ${served}`]);
  });

  it.each(inherited)("reports an unknown member with the inherited name %s and its place", (name) => {
    const block = (member: string) => ({
      mcpServers: { a: { command: "a" } },
      gateway: member === "" ? toObject([[name, 1]]) : { [member]: toObject([[name, 1]]) },
    });
    for (const member of ["", "admin", "limits", "card"]) {
      const path = ["gateway", member, name].filter(Boolean).join(".");
      expect(() => read(block(member))).toThrow(new RegExp(`^servers\\.json:1: ${path} is not known; `));
    }
    expect(() => read(block("upstreams"))).toThrow(
      `servers.json:1: gateway.upstreams.${name} must be an object, got a number`,
    );
  });

  it("keeps variables, headers, renamed items and callers with inherited names", () => {
    fc.assert(
      fc.property(texts, texts, (env, headers) => {
        const { config } = read({
          mcpServers: {
            local: { command: "a", env: toObject(env) },
            remote: { url: "https://h/mcp", headers: toObject(headers) },
          },
          gateway: {
            upstreams: {
              local: { tools: { rename: toObject(env.map(([name], index) => [name, `tool${index}`])) } },
              remote: {
                credentials: { callers: toObject(env.map(([name]) => [name, { headers: toObject(headers) }])) },
              },
            },
          },
        });
        const [local, remote] = config.upstreams;
        if (local?.kind !== "stdio" || remote?.kind !== "http") throw new Error("one of each expected");
        expect(Object.entries(local.env)).toEqual(env);
        expect(Object.entries(remote.headers)).toEqual(headers);
        expect(Object.keys(local.tools?.rename ?? {})).toEqual(env.map(([name]) => name));
        const callers = Object.entries(remote.credentials?.callers ?? {});
        expect(callers).toEqual(env.map(([name]) => [name, { headers: Object.fromEntries(headers) }]));
      }),
    );
  });

  it("serves every server of any name or reports that its name is taken", () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 8, minLength: 1 }), (names) => {
        const document = { mcpServers: toObject(names.map((name, index) => [name, { command: `c${index}` }])) };
        try {
          const { config } = read(document);
          expect(config.upstreams.map(({ name }) => name).sort()).toEqual(names.map(toUpstreamName).sort());
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          const served = new Set(names.map(toUpstreamName));
          const isTaken = served.has("server-card") ? 1 : 0;
          expect(error.problems).toHaveLength(names.length - served.size + isTaken);
        }
      }),
    );
  });
});
