// The event stream of the page: how it resumes, and what it says when there is none.
import { expect, it, vi } from "vitest";
import { createAdminClient } from "./admin-client.ts";
import { followEvents } from "./event-stream.ts";
import { createStoredKey } from "./stored-key.ts";

function memoryStorage(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  };
}

const key = createStoredKey("key", memoryStorage());
const stream = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });

it("continues after the last event it received", async () => {
  const send = vi
    .fn<typeof fetch>()
    .mockResolvedValueOnce(stream('event: exchange\nid: a.7\ndata: {"id":7}\n\n'))
    .mockResolvedValue(new Response("no", { status: 503 }));
  const events: unknown[] = [];
  const stop = followEvents(createAdminClient("/admin", key, send), "/events", {
    onEvent: (name, data) => events.push([name, data]),
    onState: () => {},
  });
  await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(2), { timeout: 5_000 });
  stop();
  expect(events).toEqual([["exchange", { id: 7 }]]);
  expect(send.mock.calls[1]?.[1]?.headers).toMatchObject({ "last-event-id": "a.7" });
});

it.each([
  [401, "key", "Bearer expected"],
  [403, "forbidden", "from this machine only"],
  [503, "failed", "8 event streams are open"],
])("names the reason when the gateway answers %s", async (status, state, problem) => {
  const send = vi.fn<typeof fetch>(async () => new Response(problem, { status }));
  const states: unknown[] = [];
  const stop = followEvents(createAdminClient("/admin", key, send), "/events", {
    onEvent: () => {},
    onState: (...given) => states.push(given),
  });
  await vi.waitFor(() => expect(states).toHaveLength(2));
  stop();
  expect(states[1]).toEqual([state, problem]);
});
