// How an HTTP edge hands legacy requests to the legacy edge, on both platforms (D.4).
import type { Result } from "@lethe/protocol";
import { isJsonObject } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { describeMatrix } from "../testing/http-platforms.ts";
import { callOf } from "../testing/messages.ts";
import { toJsonAnswer } from "./answers.ts";
import type { LegacyEdge, LegacyHttpCall, Servable } from "./servable.ts";

const complete: Result = { resultType: "complete", content: [] };

function servableWith(receiveCall: LegacyEdge["receiveCall"]): Servable {
  const claims = (message: unknown): boolean => !isJsonObject(message) || message.method === "initialize";
  const connect: LegacyEdge["connect"] = () => expect.unreachable();
  return { dispatch: async () => complete, legacy: { paths: ["/old"], claims, receiveCall, connect, close() {} } };
}

describeMatrix("a legacy edge", (platform) => {
  it("receives the messages that it claims, including arrays, and no others (D.4)", async () => {
    const calls: LegacyHttpCall[] = [];
    await using client = await platform.open(
      servableWith((call) => {
        calls.push(call);
        call.answer(toJsonAnswer(200, '{"legacy":true}', { "Mcp-Session-Id": "s" }));
      }),
    );
    for (const body of [{ jsonrpc: "2.0", id: 1, method: "initialize" }, [callOf()]]) {
      const answer = await client.send({ path: "/mcp?x=1", body, headers: { origin: "http://localhost" } });
      expect(await answer.json()).toEqual({ legacy: true });
      expect(answer.headers.get("mcp-session-id")).toBe("s");
      expect(answer.headers.get("access-control-allow-origin")).toBe("http://localhost");
    }
    expect(await (await client.send({ body: callOf() })).json()).toMatchObject({ result: complete });
    expect(calls.map(({ verb, url, message }) => ({ verb, url, message }))).toEqual([
      { verb: "POST", url: "/mcp?x=1", message: { jsonrpc: "2.0", id: 1, method: "initialize" } },
      { verb: "POST", url: "/mcp?x=1", message: [callOf()] },
    ]);
  });

  it.each(["GET", "DELETE"])("receives every %s (D.4 step 5)", async (verb) => {
    await using client = await platform.open(servableWith((call) => call.answer(toJsonAnswer(200, call.verb))));
    expect(await (await client.send({ verb })).text()).toBe(verb);
  });

  it("has paths beside the path of one server, and below each path of several servers", async () => {
    const servable = servableWith((call) => call.answer(toJsonAnswer(200, call.url)));
    await using one = await platform.open(servable, { path: "/mcp" });
    expect(await (await one.send({ verb: "GET", path: "/old?x" })).text()).toBe("/old?x");
    expect((await one.send({ verb: "GET", path: "/mcp/old" })).status).toBe(404);
    await using several = await platform.open({ "/a": servable, "/b": { dispatch: servable.dispatch } });
    expect(await (await several.send({ verb: "GET", path: "/a/old" })).text()).toBe("/a/old");
    expect((await several.send({ verb: "GET", path: "/b/old" })).status).toBe(404);
  });

  it("may stream for longer than the request time limit, and takes a slot of the stream limit (E-18)", async () => {
    let held: LegacyHttpCall | undefined;
    const servable = servableWith((call) => {
      held = call;
      call.beginStream(true);
    });
    await using client = await platform.open(servable, { requestTimeoutMs: 20, maxConcurrentRequests: 1 });
    const { chunks } = await client.send({ verb: "GET" });
    await chunks.next();
    await using later = await platform.open({ dispatch: () => new Promise(() => {}) }, { requestTimeoutMs: 60 });
    await (await later.send({ body: callOf() })).text();
    expect((await client.send({ body: callOf() })).status).toBe(200);
    held?.send("late");
    held?.endStream();
    expect(new TextDecoder().decode((await chunks.next()).value)).toBe("late");
  });

  it("ends the response when it ends its stream", async () => {
    await using client = await platform.open(
      servableWith((call) => {
        expect(call.beginStream(true)).toBe(true);
        call.send("data: 1\n\n");
        call.endStream();
        call.send("data: 2\n\n");
      }),
    );
    const answer = await client.send({ verb: "GET" });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(await answer.text()).toBe(":\n\ndata: 1\n\n");
  });

  it("gets no lasting stream when all slots are taken", async () => {
    const begun: boolean[] = [];
    await using client = await platform.open(
      servableWith((call) => void begun.push(call.beginStream(true))),
      { maxStreams: 1 },
    );
    const first = client.open({ verb: "GET" });
    await first.answer;
    expect((await client.send({ verb: "GET" })).status).toBe(503);
    expect(begun).toEqual([true, false]);
    first.leave();
  });

  it("learns once that the client left, and later messages are dropped", async () => {
    const left = vi.fn();
    let held: LegacyHttpCall | undefined;
    await using client = await platform.open(
      servableWith((call) => {
        held = call;
        call.onAbort(left);
        call.beginStream();
        call.send(": open\n\n");
      }),
    );
    const { answer, leave } = client.open({ verb: "GET" });
    const { chunks } = await answer;
    await chunks.next();
    leave();
    await chunks.return?.();
    await vi.waitUntil(() => left.mock.calls.length > 0, { interval: 1 });
    expect(held?.send("data: 1\n\n")).toBe(true);
    held?.endStream();
    held?.answer(toJsonAnswer(200, "{}"));
    expect(left).toHaveBeenCalledOnce();
  });
});
