// The cheap methods: their guesses, and that they stay guesses.
import { describe, expect, it } from "vitest";
import { probe } from "../probe.ts";
import { answerLegacy, createStateful, startOddServer } from "../testing/odd-server.ts";
import { hintFromMetadata } from "./metadata.ts";

describe("metadata", () => {
  it.each([
    ["npx", ["-y", "@playwright/mcp@latest"], "STATEFUL"],
    ["npx", ["-y", "@modelcontextprotocol/server-sequential-thinking"], "STATEFUL"],
    ["npx", ["-y", "@upstash/context7-mcp"], "STATELESS"],
    ["uvx", ["mcp-server-fetch"], "STATELESS"],
    ["mcp-proxy", ["--stateless", "--", "node", "x.js"], "STATELESS"],
    ["supergateway", ["--stateful"], "STATEFUL"],
    ["node", ["dist/index.js"], "UNKNOWN"],
  ])("%s %j ⇒ %s", (command, args, word) => {
    expect(hintFromMetadata({ command, args }, undefined).word).toBe(word);
  });

  it("a path of HTTP+SSE suggests sessions", () => {
    expect(hintFromMetadata({ url: "https://host/sse" }, undefined)).toMatchObject({ word: "STATEFUL", score: 60 });
  });

  it("the sum of all reasons stays within ±100", () => {
    const hint = hintFromMetadata(
      { command: "npx", args: ["browser-session-memory-terminal", "--stateful"] },
      undefined,
    );
    expect(hint.score).toBe(100);
    expect(hint.reasons.length).toBeGreaterThan(3);
  });
});

describe("methods", () => {
  const name = "stateless-docs-search";

  it("with the method auto, a wrong hint does not change the verdict", async () => {
    const server = await startOddServer(createStateful());
    const report = await probe({ url: server.url, name });
    await server.close();
    expect(report).toMatchObject({ word: "STATEFUL", decidedBy: "behaviour" });
    expect(report.hints.map(({ method, word }) => [method, word])).toEqual([
      ["metadata", "STATELESS"],
      ["capabilities", "STATELESS"],
    ]);
  });

  it("the method behaviour reports no hints", async () => {
    const server = await startOddServer(answerLegacy);
    const report = await probe({ url: server.url, name }, { method: "behaviour" });
    await server.close();
    expect(report.hints).toEqual([]);
  });

  it.each(["metadata", "capabilities"] as const)(
    "the method %s reports that hint alone, after the handshakes",
    async (method) => {
      const handle = createStateful();
      const server = await startOddServer(handle);
      const report = await probe({ url: server.url, name }, { method });
      await server.close();
      expect(report).toMatchObject({ word: "STATELESS", decidedBy: method, confidence: "low" });
      expect(server.methods()).toEqual(["server/discover", "initialize", "DELETE"]);
      expect(handle.sessions.size).toBe(0);
    },
  );

  it("a hint about a server that does not answer is ignored", async () => {
    const server = await startOddServer(() => ({ status: 401 }));
    const report = await probe({ url: server.url, name }, { method: "metadata" });
    await server.close();
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "unauthorized" } });
  });

  it("with the method auto, the operator's statement replaces the probe", async () => {
    const server = await startOddServer(createStateful());
    const stated = await probe({ url: server.url, stated: "stateless" });
    expect(stated).toMatchObject({ word: "STATELESS", decidedBy: "configuration", requests: 0 });
    expect(server.asked).toEqual([]);
    const asked = await probe({ url: server.url, stated: "stateless" }, { method: "behaviour" });
    await server.close();
    expect(asked.word).toBe("STATEFUL");
  });
});
