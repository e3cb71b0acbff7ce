import { McpError, type Result } from "@lethe/protocol";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { operate } from "./testing/operated.ts";

describe("secrets and sealed tokens", () => {
  const secret = "own-of-upstream-0123456789";
  let serving: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    const server = createServer({ name: "leaky", version: "1.0.0" });
    for (const tool of ["fails", "reports", "returns", "asks"]) server.tool(tool, { handler: () => "" });
    const content = [{ type: "text", text: `got ${secret}` }];
    const question = {
      method: "elicitation/create",
      params: { message: "?", requestedSchema: { type: "object", properties: {} } },
    };
    const answers: Record<string, () => Result> = {
      fails() {
        throw new McpError(-32000, `rejected ${secret}`, { data: { sent: `Bearer ${secret}` } });
      },
      reports: () => ({ resultType: "complete", content, isError: true }),
      returns: () => ({ resultType: "complete", content }),
      asks: () => ({ resultType: "input_required", requestState: "of the upstream", inputRequests: { q: question } }),
    };
    const dispatch: typeof server.dispatch = async (request, exchange) =>
      answers[String(request.params.name)]?.() ?? server.dispatch(request, exchange);
    serving = await serve({ ...server, dispatch }, { port: 0 });
  });
  afterAll(() => serving.close({ graceMs: 0 }));

  const start = (block: object = {}) =>
    operate({
      mcpServers: { up: { url: serving.url, headers: { authorization: `Bearer ${secret}` } } },
      gateway: block,
    });

  it("masks secrets of the configuration in errors of an upstream, but not in its ordinary results", async () => {
    await using gateway = await start();
    const call = async (name: string) => (await gateway.ask("tools/call", { name })).body;
    expect((await call("up__fails")).error).toEqual({
      code: -32000,
      message: "rejected ***",
      data: { sent: "Bearer ***" },
    });
    expect((await call("up__reports")).result).toMatchObject({ isError: true, content: [{ text: "got ***" }] });
    expect((await call("up__returns")).result).toMatchObject({ content: [{ text: `got ${secret}` }] });
  });

  it("masks secrets of a new configuration after a reload", async () => {
    await using gateway = await start();
    gateway.write({
      mcpServers: { up: { url: serving.url, headers: { authorization: `Bearer ${secret}`, "x-more": "rejected" } } },
    });
    expect(await gateway.served.reload()).toMatchObject({ isApplied: true });
    await gateway.served.gateway.settled;
    await vi.waitFor(async () => {
      const { error } = (await gateway.ask("tools/call", { name: "up__fails" })).body;
      expect(error.message).toBe("*** ***");
    });
  });

  it("keeps sealed tokens out of the exchanges, even with bodies", async () => {
    await using gateway = await start({ admin: { bodies: true } });
    const options = { capabilities: { elicitation: { form: {} } } };
    const { requestState } = (await gateway.ask("tools/call", { name: "up__asks" }, options)).body.result;
    expect(requestState).toEqual(expect.any(String));
    const inputResponses = { q: { action: "accept", content: {} } };
    await gateway.ask("tools/call", { name: "up__asks", requestState, inputResponses }, options);
    const { exchanges } = await (await gateway.get("/admin/v1/exchanges")).json();
    const details = exchanges.map(async ({ id }: { id: string }) =>
      (await gateway.get(`/admin/v1/exchanges/${id}`)).json(),
    );
    const [retry, first] = await Promise.all(details);
    expect(retry.params).toMatchObject({ requestState: "***" });
    expect(first.result).toMatchObject({ resultType: "input_required", requestState: "***" });
    // The rounds of the call are linked, by an id that gives no access to it.
    expect([retry.related[0].id, retry.call]).toEqual([first.id, first.call]);
    expect(JSON.stringify([retry, first])).not.toContain(requestState);
  });
});
