// Tests of runSurvey: it tries what a server declares and explains what it skips.
import { createClient } from "@lethe/client/edge";
import type { Dispatch, JsonObject, Result } from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { describe, expect, it } from "vitest";
import type { Survey } from "./script.ts";
import { runSurvey } from "./survey.ts";

const answers: Readonly<Record<string, JsonObject>> = {
  "tools/list": {
    tools: [
      { name: "look", inputSchema: { type: "object", required: ["at"] }, annotations: { readOnlyHint: true } },
      { name: "erase", inputSchema: { type: "object" } },
    ],
  },
  "resources/list": { resources: [{ uri: "a:b", name: "b" }] },
  "resources/templates/list": { resourceTemplates: [] },
  "resources/read": { contents: [] },
  "prompts/list": { prompts: [{ name: "welcome", arguments: [{ name: "guest", required: true }] }] },
  "prompts/get": { messages: [] },
  "completion/complete": { completion: { values: ["x"] } },
  "tools/call": { content: [{ type: "text", text: "done" }] },
};

async function survey(capabilities: JsonObject, options: Partial<Survey> = {}) {
  const asked: JsonObject[] = [];
  const dispatch: Dispatch = async ({ method, params: { _meta, ...params } }) => {
    asked.push({ method, ...params });
    return { resultType: "complete", ttlMs: 0, cacheScope: "private", ...answers[method] } as Result;
  };
  const connection = {
    ...{ dispatch, revision: "2026-07-28", closed: new Promise<never>(() => {}) },
    era: "modern",
    traits: revisionNamed("2026-07-28").traits,
    server: { supportedVersions: ["2026-07-28"], capabilities } as never,
    close: async () => {},
  } as const;
  let time = 0;
  const client = createClient(connection, "test", {});
  const steps = await runSurvey(client, { name: "s", kind: "survey", ...options }, { now: () => ++time, settleMs: 5 });
  const of = (feature: string) => steps.find((step) => step.feature === feature);
  return { asked, of, steps };
}

const all = { tools: {}, resources: {}, prompts: {}, completions: {} };

describe("runSurvey", () => {
  it("reads resources, gets prompts, completes an argument and calls only read-only tools", async () => {
    const { asked, of } = await survey(all);
    expect(asked).toContainEqual({ method: "resources/read", uri: "a:b" });
    expect(asked).toContainEqual({ method: "prompts/get", name: "welcome", arguments: { guest: "demo" } });
    expect(asked.filter(({ method }) => method === "completion/complete")).toHaveLength(1);
    expect(asked.filter(({ method }) => method === "tools/call")).toEqual([
      { method: "tools/call", name: "look", arguments: { at: "demo" } },
    ]);
    expect(of("resources")).toMatchObject({ outcome: "done", detail: "read a:b" });
    expect(of("sampling")).toMatchObject({ outcome: "observed", detail: expect.stringContaining("not called: erase") });
  });

  it("requests nothing that the server does not declare, and says so", async () => {
    const { asked, of } = await survey({});
    expect(asked).toEqual([]);
    expect(of("resources")?.detail).toBe("the server declares no resources capability, so none was read");
    expect(of("prompts")?.detail).toBe("the server declares no prompts capability, so none was requested");
    expect(of("completion")?.detail).toBe("the server declares no completions capability, so none was requested");
    expect(of("subscriptions")?.detail).toContain("no resources.subscribe capability");
    expect(of("changes")?.detail).toBe("the server declares no listChanged capability, so none was requested");
    expect(of("logging")?.detail).toContain("the server declares no logging capability, so no log level was requested");
    expect(of("background")?.detail).toContain("the server declares no tasks extension");
    expect(of("call")).toMatchObject({ outcome: "skipped", detail: "the server lists no tools" });
  });

  it("calls every tool with callAll, and only the named ones with tools", async () => {
    const called = ({ asked }: Awaited<ReturnType<typeof survey>>) =>
      asked.filter(({ method }) => method === "tools/call").map(({ name }) => name);
    expect(called(await survey(all, { callAll: true }))).toEqual(["look", "erase"]);
    const named = await survey(all, { tools: ["erase", "absent"] });
    expect(called(named)).toEqual(["erase"]);
    expect(named.of("sampling")?.detail).toContain("absent (the server lists no tool of this name)");
  });

  it("lists the tools and calls one of them when it is minimal", async () => {
    const { asked } = await survey(all, { kind: "minimal" });
    expect(asked.map(({ method }) => method)).toEqual(["tools/list", "tools/call"]);
  });
});
