// The screen of lethe top, drawn on a terminal that records what is written.
import { expect, it } from "vitest";
import { LiveScreen } from "./live-screen.ts";

function createTerminal() {
  const listeners = new Set<() => void>();
  const terminal = {
    columns: 10,
    rows: 4,
    written: "",
    write(text: string) {
      terminal.written += text;
    },
    on: (_event: "resize", listener: () => void) => void listeners.add(listener),
    off: (_event: "resize", listener: () => void) => void listeners.delete(listener),
    resize(columns: number) {
      terminal.columns = columns;
      terminal.written = "";
      for (const listener of listeners) listener();
    },
    listeners,
  };
  return terminal;
}

it("draws lines in place, no wider and no taller than the terminal, and draws them again when its size changes", () => {
  const terminal = createTerminal();
  const screen = new LiveScreen(terminal);
  expect(terminal.written).toBe("\u001b[?1049h\u001b[?25l");
  terminal.written = "";
  screen.show(["\u001b[31m0123456789abc\u001b[39m", "two", "three", "four"]);
  expect(terminal.written).toBe(
    "\u001b[H\u001b[31m0123456789\u001b[39m\u001b[K\r\ntwo\u001b[K\r\nthree\u001b[K\r\n\u001b[J",
  );
  terminal.resize(4);
  expect(terminal.written).toContain("\u001b[31m0123\u001b[39m\u001b[K\r\n");
});

it("gives the terminal back when it closes", () => {
  const terminal = createTerminal();
  const screen = new LiveScreen(terminal);
  terminal.written = "";
  screen.close();
  expect([terminal.written, terminal.listeners.size]).toEqual(["\u001b[?25h\u001b[?1049l", 0]);
});

it("draws 80 columns and 24 rows on a terminal that does not know its size", () => {
  const terminal = Object.assign(createTerminal(), { columns: 0, rows: 0 });
  const screen = new LiveScreen(terminal);
  screen.show(Array.from({ length: 30 }, () => "x".repeat(100)));
  expect(terminal.written.match(/x{80}(?!x)/g)).toHaveLength(23);
});
