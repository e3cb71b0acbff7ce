// How an HTTP edge hands over what is legacy, through both doors (D.4).
import type { Result } from "@lethe/protocol";
import { isJsonObject } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import type { LegacyCall, Servable } from "./servable.ts";
import { describeMatrix } from "./testing/doors.ts";
import { callOf } from "./testing/messages.ts";

const complete: Result = { resultType: "complete", content: [] };

function servableWith(respond: (call: LegacyCall) => Promise<Response>): Servable {
  const claims = (message: unknown): boolean => !isJsonObject(message) || message.method === "initialize";
  return { dispatch: async () => complete, legacy: { claims, respond } };
}

describeMatrix("a legacy edge", (door) => {
  it("gets what it claims, arrays included, and the rest stays modern (D.4)", async () => {
    const calls: LegacyCall[] = [];
    await using client = await door.open(
      servableWith(async (call) => {
        calls.push(call);
        return Response.json({ legacy: true }, { headers: { "Mcp-Session-Id": "s" } });
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

  it.each(["GET", "DELETE"])("gets every %s (D.4 step 5)", async (verb) => {
    await using client = await door.open(servableWith(async (call) => new Response(call.verb)));
    expect(await (await client.send({ verb })).text()).toBe(verb);
  });

  it("may answer without a body, and its failure is an internal error", async () => {
    const respond = vi.fn(async () => new Response(null, { status: 202 }));
    const onError = vi.fn();
    await using client = await door.open(servableWith(respond), { onError });
    const answer = await client.send({ verb: "GET" });
    expect([answer.status, await answer.text()]).toEqual([202, ""]);
    respond.mockRejectedValueOnce(new Error("secret"));
    expect(await (await client.send({ verb: "GET" })).json()).toMatchObject({ error: { message: "internal error" } });
    expect(onError).toHaveBeenCalledOnce();
  });

  it("may stream longer than a request may run, and takes the place of a stream (E-18)", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const servable = servableWith(async () => new Response(readable));
    await using client = await door.open(servable, { requestTimeoutMs: 20, maxConcurrentRequests: 1 });
    const { chunks } = await client.send({ verb: "GET" });
    await using later = await door.open({ dispatch: () => new Promise(() => {}) }, { requestTimeoutMs: 60 });
    await (await later.send({ body: callOf() })).text();
    expect((await client.send({ body: callOf() })).status).toBe(200);
    const writer = writable.getWriter();
    const written = writer.write(new TextEncoder().encode("late")).then(() => writer.close());
    expect(new TextDecoder().decode((await chunks.next()).value)).toBe("late");
    await written;
  });

  it("learns that the client left by the end of its stream", async () => {
    const cancel = vi.fn();
    const chunk = new TextEncoder().encode(": open\n\n");
    await using client = await door.open(
      servableWith(async () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(chunk), cancel }))),
    );
    const { answer, leave } = client.open({ verb: "GET" });
    const { chunks } = await answer;
    await chunks.next();
    leave();
    await chunks.return?.();
    await vi.waitUntil(() => cancel.mock.calls.length > 0, { interval: 1 });
  });
});
