import { describe, expect, it } from "vitest";
import { createFakeTerminal } from "../testing/fake-terminal.ts";
import { Refusal, withPrompt } from "./prompt.ts";

const { signal } = new AbortController();

describe("a prompt", () => {
  it("a prompt returns each line, including lines typed before it", async () => {
    const terminal = createFakeTerminal(["one ", "", "three"]);
    const lines = await withPrompt(terminal, signal, async ({ ask, write }) => {
      write("Well?\n");
      return [await ask("1> "), await ask("2> "), await ask("3> ")];
    });
    expect(lines).toEqual(["one", "", "three"]);
    expect(terminal.shown()).toBe("Well?\n1> 2> 3> ");
  });

  it("the end of the input declines the request", async () => {
    const asking = withPrompt(createFakeTerminal([]), signal, ({ ask }) => ask("> "));
    await expect(asking).rejects.toEqual(new Refusal("decline"));
  });

  it("Ctrl-C cancels the request", async () => {
    const terminal = createFakeTerminal([], { isOpen: true });
    Object.assign(terminal.input, { isTTY: true, setRawMode: () => {} });
    const asking = withPrompt(terminal, signal, ({ ask }) => ask("> "));
    (terminal.input as NodeJS.WritableStream & typeof terminal.input).write("\u0003");
    await expect(asking).rejects.toMatchObject({ action: "cancel" });
  });

  it("a prompt ends with its signal and removes its listener afterwards", async () => {
    const controller = new AbortController();
    const asking = withPrompt(createFakeTerminal([], { isOpen: true }), controller.signal, ({ ask }) => ask("> "));
    const reason = new Error("too late");
    controller.abort(reason);
    await expect(asking).rejects.toBe(reason);
    await expect(withPrompt(createFakeTerminal(["x"]), controller.signal, ({ ask }) => ask("> "))).rejects.toBe(reason);
  });
});
