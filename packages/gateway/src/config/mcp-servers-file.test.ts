import { describe, expect, it } from "vitest";
import { parseMcpServers } from "./mcp-servers-file.ts";

const parse = (value: unknown, environment: Record<string, string> = {}) =>
  parseMcpServers(typeof value === "string" ? value : JSON.stringify(value), {
    file: "/etc/lethe/servers.json",
    environment,
  });

describe("an mcpServers file", () => {
  it("names local and remote servers in the order of the file", () => {
    const config = parse({
      mcpServers: {
        fs: { command: "npx", args: ["-y", "pkg"], env: { K: "v" }, cwd: "data" },
        gh: { type: "http", url: "https://h.example/mcp", headers: { Authorization: "Bearer t" } },
      },
    });
    expect(config.upstreams).toEqual([
      { kind: "stdio", name: "fs", command: "npx", args: ["-y", "pkg"], env: { K: "v" }, cwd: "/etc/lethe/data" },
      { kind: "http", name: "gh", url: "https://h.example/mcp", headers: { Authorization: "Bearer t" } },
    ]);
  });

  it("ignores what other clients put there and leaves out disabled servers", () => {
    const config = parse({
      mcpServers: { a: { command: "x", alwaysAllow: [], timeout: 5 }, b: { command: "y", disabled: true } },
    });
    expect(config.upstreams.map(({ name }) => name)).toEqual(["a"]);
  });

  it("expands variables, with defaults", () => {
    const servers = { a: { command: "run", args: ["${HOME}/x", "${PORT:-80}"] } };
    expect(parse({ mcpServers: servers }, { HOME: "/h" }).upstreams[0]).toMatchObject({ args: ["/h/x", "80"] });
  });

  it.each([
    ["{", /^\/etc\/lethe\/servers\.json: is not JSON/],
    [[], /must hold one JSON object, got an array/],
    [{}, /mcpServers must be an object that maps names to servers, got nothing/],
    [{ mcpServers: {} }, /mcpServers must name at least one server/],
    [{ mcpServers: { a: 1 } }, /mcpServers\.a must be an object, got a number/],
    [{ mcpServers: { a: {} } }, /mcpServers\.a must have a "command" \(a local server\) or a "url"/],
    [{ mcpServers: { a: { command: 1 } } }, /mcpServers\.a\.command must be a string, got a number/],
    [
      { mcpServers: { a: { command: "x", args: "y" } } },
      /mcpServers\.a\.args must be an array of strings, got a string/,
    ],
    [{ mcpServers: { a: { command: "x", args: [1] } } }, /mcpServers\.a\.args\[0\] must be a string, got a number/],
    [{ mcpServers: { a: { command: "x", env: { K: 1 } } } }, /mcpServers\.a\.env\.K must be a string, got a number/],
    [
      { mcpServers: { a: { command: "${NOPE}" } } },
      /mcpServers\.a\.command needs the environment variable NOPE, which is not set/,
    ],
    [{ mcpServers: { a: { url: "ftp://x" } } }, /mcpServers\.a\.url must be an http or https URL/],
    [{ mcpServers: { "a/b": { command: "x" } } }, /mcpServers\.a\/b has a name that is not 1 to 32 letters/],
  ])("says what is wrong with %j", (value, message) => {
    expect(() => parse(value)).toThrow(message);
  });
});
