import type { JsonObject } from "@lethe/protocol";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Journal, JournalHome } from "./journal.ts";
import { type AskingContext, accept, askOnce, callOnce, converse, type Handler } from "./testing/conversation.ts";

const anything = z.object({});
const yes = () => accept({});
const valueForm = z.object({ value: z.string() });

afterEach(() => {
  vi.useRealTimers();
});

/** Answers each input request with its own key, or message. */
function echo(key: string, { params }: JsonObject): JsonObject {
  return accept({ value: key.includes(".") ? (params as JsonObject).message : key });
}

async function ask(ctx: AskingContext, key: string): Promise<string> {
  return (await ctx.elicit(`What is ${key}?`, valueForm, { key })).value;
}

describe("suspension", () => {
  it("a suspended handler unwinds: its finally blocks run before the round ends", async () => {
    const events: string[] = [];
    const handler: Handler = async (ctx) => {
      events.push("enter");
      try {
        await ctx.elicit("Sure?", anything);
        events.push("answered");
      } finally {
        await null;
        events.push("leave");
      }
    };
    await askOnce(handler);
    expect(events).toEqual(["enter", "leave"]);
    await converse(handler, yes);
    expect(events.slice(2)).toEqual(["enter", "leave", "enter", "answered", "leave"]);
  });

  it("suspends a branch without await and leaves no unhandled rejection", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const left: string[] = [];
    const handler: Handler = async (ctx) => {
      const branch = async (key: string) => {
        try {
          return await ask(ctx, key);
        } finally {
          left.push(key);
        }
      };
      const one = branch("one");
      const two = await branch("two");
      return `${await one} and ${two}`;
    };
    expect(Object.keys((await askOnce(handler)).inputRequests)).toEqual(["one", "two"]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(left).toEqual(["one", "two"]);
    expect((await converse(handler, echo)).result).toBe("one and two");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("rejects every pending input request of the round, including those without await", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const outcomes: unknown[] = [];
    await askOnce(async (ctx) => {
      const first = ctx.elicit("One?", anything);
      ctx.roots().catch((error: Error) => outcomes.push(error.name));
      void ctx.elicit("Floating?", anything);
      void ctx.now();
      await ctx.elicit("Two?", anything).catch((error: Error) => outcomes.push(error.name));
      await first;
    });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(outcomes).toEqual(["Suspension", "Suspension"]);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it.each<[string, (error: unknown) => unknown]>([
    ["returned something", () => "fallback"],
    [
      "threw something else",
      () => {
        throw new Error("something else");
      },
    ],
  ])(
    "a handler that caught its suspension and %s still sends its input request, and the author gets a warning",
    async (_, caught) => {
      const onWarning = vi.fn();
      const handler: Handler = async (ctx) => {
        try {
          return await ctx.elicit("Sure?", anything);
        } catch (error) {
          return caught(error);
        }
      };
      await askOnce(handler, { settings: { onWarning } });
      expect(onWarning.mock.calls).toEqual([
        ["tools/call tool caught the suspension of its call: throw it on, or ask outside of try"],
      ]);
      expect((await converse(handler, yes)).result).toEqual({});
    },
  );

  it("logs the warning about a caught suspension to the console by default, once per handler", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { createInteractionSettings } = await import("./settings.ts");
    const { onWarning } = createInteractionSettings({ seal: undefined as never });
    for (const text of ["a", "a", "b"]) onWarning(text);
    expect(warn.mock.calls).toEqual([["a"], ["b"]]);
    warn.mockRestore();
  });

  it("a suspended handler can send no further input request and run no side effect", async () => {
    const effect = vi.fn();
    const outcomes: string[] = [];
    await askOnce(async (ctx) => {
      await ctx.elicit("Sure?", anything).catch(() => {});
      const late = [ctx.once("pay", effect), ctx.now(), ctx.uuid(), ctx.elicit("More?", anything), ctx.roots()];
      for (const result of await Promise.allSettled(late)) {
        outcomes.push(result.status === "rejected" ? result.reason.name : result.status);
      }
    });
    expect(outcomes).toEqual(Array(5).fill("Suspension"));
    expect(effect).not.toHaveBeenCalled();
  });

  it("leaves a handler suspended that sends input requests in a loop, without blocking the process", async () => {
    const onWarning = vi.fn();
    let attempts = 0;
    const handler: Handler = async (ctx) => {
      for (;;) {
        attempts += 1;
        await ctx.elicit("Sure?", anything).catch(() => {});
      }
    };
    void callOnce(handler, { settings: { onWarning } });
    await vi.waitFor(() => expect(onWarning).toHaveBeenCalledOnce());
    expect(attempts).toBe(102);
    expect(onWarning.mock.calls[0]?.[0]).toContain("keeps requesting input after its suspension");
  });

  it("rejects an input request made after the call has ended", async () => {
    let leaked: AskingContext | undefined;
    await callOnce(async (ctx) => {
      leaked = ctx;
      await ctx.now();
    });
    await expect(leaked?.now()).rejects.toThrow("the call has ended");
  });

  it.each<[string, Handler, string]>([
    ["an input request", (ctx) => void ctx.elicit("Sure?", anything), 'elicit "Sure?"'],
    ["a step", (ctx) => void ctx.once("order", () => new Promise(() => {})), 'once("order")'],
    ["the time", (ctx) => ({ at: ctx.now() }), "now or uuid"],
    ["roots in a result", (ctx) => ({ roots: ctx.roots() }), "roots"],
  ])("fails a call that returns before %s has a result and does not await it", async (_what, handler, label) => {
    const message = `tools/call tool returned before ${label} had a result, which nothing awaited: write "await"`;
    await expect(callOnce(handler)).rejects.toMatchObject({
      name: "InteractionError",
      message: expect.stringContaining(message),
    });
  });

  it("accepts a handler that returns without waiting for a promise that it used", async () => {
    const handler: Handler = async (ctx) => {
      ctx.elicit("Sure?", anything).catch(() => {});
      return Promise.race([ctx.elicit("Really?", anything), "in time"]);
    };
    expect(await callOnce(handler)).toBe("in time");
  });

  it("keeps the error of a handler that also forgot to await", async () => {
    const handler: Handler = (ctx) => {
      void ctx.elicit("Sure?", anything);
      throw new Error("its own");
    };
    await expect(callOnce(handler)).rejects.toThrow("its own");
  });
});

describe("arguments of the wrong kind", () => {
  it.each<[string, (ctx: AskingContext) => Promise<unknown>, string]>([
    [
      "an object as the message",
      (ctx) => ctx.elicit({ message: "Sure?" } as never, anything),
      "elicitation form: a message expected as the first argument and a schema as the second, got an object",
    ],
    [
      "no schema",
      (ctx) => ctx.elicit("Sure?", undefined as never),
      "elicitation form: a schema expected as the second argument, got nothing",
    ],
    [
      "an object of zod schemas",
      (ctx) => ctx.elicit("Sure?", { a: z.string() } as never),
      "elicitation form: an object of schemas is no schema: wrap it in z.object({ … })",
    ],
    [
      "a step without a key",
      (ctx) => ctx.once((() => 1) as never, undefined as never),
      "ctx.once: a key (a string) and a function expected, got a function and nothing",
    ],
  ])("fails a call for %s, and says what is expected", async (_what, ask, message) => {
    await expect(callOnce(async (ctx) => ask(ctx))).rejects.toMatchObject({ name: "InteractionError", message });
  });
});

describe("once", () => {
  it("once computes a value in one round and returns it in later rounds (E-31)", async () => {
    const effect = vi.fn(async () => ({ id: 7 }));
    const handler: Handler = async (ctx) => {
      const order = await ctx.once("order", effect);
      await ctx.elicit("Sure?", anything);
      await ctx.elicit("Really?", anything);
      return order;
    };
    expect(await converse(handler, yes)).toEqual({ result: { id: 7 }, rounds: 2 });
    expect(effect).toHaveBeenCalledOnce();
  });

  it("once remembers undefined, null and false", async () => {
    const effect = vi.fn();
    const handler: Handler = async (ctx) => {
      const values = [await ctx.once("a", effect), await ctx.once("b", () => null), await ctx.once("c", () => false)];
      await ctx.elicit("Sure?", anything);
      return values;
    };
    expect((await converse(handler, yes)).result).toEqual([undefined, null, false]);
    expect(effect).toHaveBeenCalledOnce();
  });

  it("now and uuid return the same value in every round", async () => {
    const seen: unknown[] = [];
    const handler: Handler = async (ctx) => {
      const values = [await ctx.now(), await ctx.uuid(), await ctx.uuid()] as const;
      seen.push(values);
      await ctx.elicit("Sure?", anything);
      return values;
    };
    const { result } = await converse(handler, yes);
    const [now, first, second] = result as [Date, string, string];
    expect(now).toBeInstanceOf(Date);
    expect(first).not.toBe(second);
    expect(seen).toEqual([result, result]);
  });

  it("a round waits for a running once effect before it ends, and remembers it", async () => {
    const effect = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return "paid";
    });
    const handler: Handler = async (ctx) => Promise.all([ctx.elicit("Sure?", anything), ctx.once("pay", effect)]);
    expect((await converse(handler, yes)).result).toEqual([{}, "paid"]);
    expect(effect).toHaveBeenCalledOnce();
  });

  it("once runs a function that threw again in the next round", async () => {
    let attempts = 0;
    const handler: Handler = async (ctx) => {
      const value = await ctx
        .once("flaky", () => {
          attempts += 1;
          if (attempts === 1) throw new Error("not yet");
          return attempts;
        })
        .catch((error: Error) => error.message);
      await ctx.elicit("Sure?", anything);
      return value;
    };
    expect((await converse(handler, yes)).result).toBe(2);
  });

  it.each<[string, (ctx: AskingContext) => Promise<unknown>]>([
    ["a question", (ctx) => ctx.elicit("Sure?", anything)],
    ["a value", (ctx) => ctx.uuid()],
  ])("rejects %s inside once, because later rounds would not reach it", async (_, inside) => {
    const handler: Handler = (ctx) => ctx.once("outer", () => inside(ctx));
    await expect(callOnce(handler)).rejects.toThrow(
      'no input request and no other once() is allowed inside once("outer")',
    );
  });

  it("fails the replay when an input request hides deeper inside once", async () => {
    const handler: Handler = async (ctx) => {
      await ctx.once("outer", async () => {
        await null;
        await ask(ctx, "inner");
      });
      await ask(ctx, "next");
      await ask(ctx, "last");
    };
    const settings = { replayGraceMs: 0 };
    await expect(converse(handler, echo, { settings })).rejects.toThrow(
      'where elicit "What is inner?" with key "inner" had been requested before',
    );
  });

  it("rejects a once key that is used twice in one run", async () => {
    const twice: Handler = async (ctx) => [await ctx.once("k", () => 1), await ctx.once("k", () => 2)];
    await expect(callOnce(twice)).rejects.toThrow('once("k") was called twice in one run');
  });

  it("rejects a once value that is not JSON and names its key", async () => {
    const handler: Handler = (ctx) => ctx.once("when", () => ({ at: new Date() }));
    await expect(callOnce(handler)).rejects.toThrow(
      'the value of once("when").at has to be JSON, got an instance of Date',
    );
  });

  it("the first round sees a once value as later rounds do, after its conversion to JSON", async () => {
    const handler: Handler = (ctx) => ctx.once("k", () => ({ a: 1, b: undefined }));
    expect(Object.keys((await callOnce(handler)) as object)).toEqual(["a"]);
  });
});

describe("replay of a changed handler", () => {
  const message = /^tools\/call tool does not replay: /;

  it("fails the call when the input request under a key has changed, even if the handler catches the error (E-28)", async () => {
    let run = 0;
    const handler: Handler = async (ctx) => {
      run += 1;
      const answer = await ctx.elicit(`Run ${run}?`, anything, { key: "k" }).catch(() => "wrong answer");
      return answer;
    };
    await expect(converse(handler, yes)).rejects.toThrow(message);
    await expect(converse(handler, yes)).rejects.toThrow(
      /elicit "Run \d\?" with key "k", elicit|other content, elicit "Run \d\?"/,
    );
    await expect(converse(handler, yes)).rejects.toMatchObject({ name: "InteractionError" });
  });

  it("fails the call when an input request without a key has changed, instead of asking again without end", async () => {
    let run = 0;
    const handler: Handler = (ctx) => {
      run += 1;
      return ctx.elicit(`Run ${run}?`, anything);
    };
    const settings = { replayGraceMs: 0 };
    await expect(converse(handler, yes, { settings })).rejects.toThrow(
      /elicit "Run 2\?" was requested where elicit "Run 1\?" had been requested before \(request 1 of the call\)\. Either a value .* differs from run to run, or its code was changed .*ctx\.now\(\).* new "version"/,
    );
    expect(run).toBe(2);
  });

  it("a failed replay of a compatible version names that version", async () => {
    const one: Handler = async (ctx) => [await ask(ctx, "a"), await ask(ctx, "b")];
    const other: Handler = async (ctx) => [await ask(ctx, "a"), await ask(ctx, "c")];
    const settings = { replayGraceMs: 0 };
    const first = await askOnce(one, { version: "1", settings });
    const a = { requestState: first.requestState, inputResponses: { a: echo("a", {}) } };
    const second = await askOnce(one, { version: "1", settings, ...a });
    const retry = { requestState: second.requestState, inputResponses: { b: echo("b", {}) } };
    const next = { version: "2", compatibleVersions: ["1"], settings };
    await expect(callOnce(other, { ...next, ...retry })).rejects.toThrow(
      /elicit "What is c\?" with key "c" was requested where elicit "What is b\?" with key "b" had been requested before \(request 2 of the call\)\. .* The journal is of version "1", which is among the compatibleVersions of this handler$/,
    );
  });

  it("waits for a handler that reaches an answered input request late", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    // Each look moves the false clock on by its interval.
    const patience = { interval: 1, timeout: 900 };
    let delay = 0;
    const handler: Handler = (ctx) =>
      Promise.all([
        ask(ctx, "a"),
        new Promise((resolve) => (delay ? setTimeout(resolve, delay) : resolve(undefined))).then(() => ask(ctx, "b")),
      ]);
    const first = await askOnce(handler);
    delay = 1_000;
    const retry = { requestState: first.requestState, inputResponses: { b: echo("b", {}) } };
    const second = askOnce(handler, retry);
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(2), patience);
    vi.advanceTimersByTime(1_000);
    expect(Object.keys((await second).inputRequests)).toEqual(["a"]);
    expect(vi.getTimerCount()).toBe(0);
    delay = 3_000;
    const third = expect(callOnce(handler, retry)).rejects.toThrow(
      'where elicit "What is b?" with key "b" had been requested before',
    );
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(2), patience);
    await vi.advanceTimersByTimeAsync(3_000);
    await third;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("fails the call when the schema no longer accepts a recorded answer", async () => {
    let isStrict = false;
    const handler: Handler = async (ctx) => {
      await ctx.elicit(
        "A?",
        z.object({}).refine(() => !isStrict, "too late"),
        { key: "a" },
      );
      isStrict = true;
      await ctx.elicit("B?", anything, { key: "b" });
    };
    await expect(converse(handler, yes)).rejects.toThrow(
      'the answer to elicit "A?" with key "a" was accepted before and is not now: too late',
    );
  });

  it("rejects two input requests with the same key in one run", async () => {
    const handler: Handler = (ctx) => Promise.all([ask(ctx, "k"), ask(ctx, "k")]);
    await expect(callOnce(handler)).rejects.toThrow('two input requests of one run have the key "k"');
  });
});

it("an input request made after another one failed joins the same round", async () => {
  const broken = anything.refine(() => {
    throw new Error("database down");
  });
  const handler: Handler = (ctx) =>
    Promise.all([
      ask(ctx, "a"),
      ctx.elicit("B?", broken, { key: "b" }).catch(async () => {
        await null;
        return ask(ctx, "instead");
      }),
    ]);
  const { requestState } = await askOnce(handler);
  const { inputRequests } = await askOnce(handler, { requestState, inputResponses: { b: accept({}) } });
  expect(Object.keys(inputRequests)).toEqual(["a", "instead"]);
});

it("the journal stores each answer and each value once, regardless of the number of replays", async () => {
  let kept: Journal | undefined;
  const journalHome: JournalHome = {
    load: async () => kept,
    save: async (journal) => {
      kept = journal;
      return undefined;
    },
  };
  const handler: Handler = async (ctx) => {
    for (const key of ["a", "b", "c"]) {
      await ctx.once(key, () => key);
      await ask(ctx, key);
    }
  };
  await converse(handler, echo, { journalHome });
  expect(kept?.entries.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
    "once a",
    "answer a",
    "once b",
    "answer b",
    "once c",
  ]);
});

describe("repeated input requests", () => {
  it("gives each occurrence of a repeated input request its own answer in a loop", async () => {
    const handler: Handler = async (ctx) => {
      const values: string[] = [];
      for (let index = 0; index < 3; index += 1) values.push((await ctx.elicit("Next?", valueForm)).value);
      return values;
    };
    const { result } = await converse(handler, (_key, _question, round) => accept({ value: `v${round}` }));
    expect(result).toEqual(["v0", "v1", "v2"]);
  });

  it("gives each parallel branch its own answer, in any order of responses", async () => {
    const branch = async (ctx: AskingContext, name: string, isFirst: boolean) => {
      const first = await ask(ctx, name);
      for (let steps = isFirst ? 20 : 0; steps > 0; steps -= 1) await null;
      const [id, second] = [await ctx.uuid(), (await ctx.elicit("And then?", valueForm)).value];
      return { name, first, id, second };
    };
    for (const order of [
      ["a", "b"],
      ["b", "a"],
    ]) {
      const ids = new Map<string, Set<string>>();
      const handler: Handler = (ctx) =>
        Promise.all(["a", "b"].map((name) => branch(watch(ctx, name, ids), name, name === order[0])));
      let mentioned = 0;
      // The first branch gets its first answer, and then its second input request, a round before the other.
      const { result } = await converse(handler, (key, _, round) => {
        if (key === order[1] && round === 0) return undefined;
        if (key.length === 1) return accept({ value: key });
        mentioned += 1;
        return accept({ value: `${order[mentioned - 1]} goes on` });
      });
      expect(result).toMatchObject(["a", "b"].map((name) => ({ name, first: name, second: `${name} goes on` })));
      expect([...ids.values()].map((seen) => seen.size)).toEqual([1, 1]);
    }
  });
});

/** Notes every uuid that a branch ever saw. */
function watch(ctx: AskingContext, name: string, ids: Map<string, Set<string>>): AskingContext {
  const seen = ids.get(name) ?? new Set();
  ids.set(name, seen);
  const uuid = async () => {
    const id = await ctx.uuid();
    seen.add(id);
    return id;
  };
  return { ...ctx, elicit: ctx.elicit, once: ctx.once, uuid };
}

/** A program of parallel branches; each sends its input requests in turn, and runs one effect after each answer. */
const program = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 });

describe("partial responses", () => {
  it("reaches the same result and runs each effect once for any subset of responses per round (E-29, E-31)", async () => {
    await fc.assert(
      fc.asyncProperty(program, fc.infiniteStream(fc.nat({ max: 3 })), async (branches, choices) => {
        const effects: string[] = [];
        const handler: Handler = async (ctx) =>
          Promise.all(
            branches.map(async (length, branch) => {
              const values: string[] = [];
              for (let step = 0; step < length; step += 1) {
                const name = `${branch}-${step}`;
                values.push(await ask(ctx, name));
                values.push(await ctx.once(name, () => `did ${effects.push(name) && name}`));
              }
              return values;
            }),
          );
        const expected = branches.map((length, branch) =>
          Array.from({ length }, (_, step) => [`${branch}-${step}`, `did ${branch}-${step}`]).flat(),
        );
        const steps = branches.reduce((sum, length) => sum + length, 0);
        const answer = (key: string) => {
          const choice = choices.next().value;
          if (choice === 0) return undefined;
          return choice === 1 ? accept({ value: 5 }) : echo(key, {});
        };
        const { result } = await converse(handler, answer, { settings: { maxRounds: 1_000 } });
        expect(result).toEqual(expected);
        expect(effects.sort()).toEqual([...new Set(effects)]);
        expect(effects).toHaveLength(steps);
      }),
      { numRuns: 60 },
    );
  });
});
