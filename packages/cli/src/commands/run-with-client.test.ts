// What a server says while a call runs, as the terminal shows it.
import type { LogMessage, Progress } from "@lethe/protocol";
import { expect, it } from "vitest";
import { createStyle } from "../terminal/style.ts";
import { toLogLine, toProgressLine } from "./run-with-client.ts";

const style = createStyle({ isTTY: false } as never);
const clear = "\u001b[2J";

it("progress of the wrong types neither fails nor reaches the terminal as control characters", () => {
  const progress = { progress: clear, total: [clear], message: { text: clear } } as unknown as Progress;
  expect(toProgressLine(progress)).toBe('{"text":"\\u001b[2J"} \\u001b[2J/["\\u001b[2J"]');
  expect(toProgressLine({ progress: 1, total: 2, message: "half" })).toBe("half 1/2");
});

it("a log message of the wrong types neither fails nor reaches the terminal as control characters", () => {
  const message = { level: clear, logger: 5, data: undefined } as unknown as LogMessage;
  expect(toLogLine(message, style)).toBe("[\\u001b[2J] 5: undefined");
  expect(toLogLine({ level: "info", data: { a: 1 } }, style)).toBe('[info] {"a":1}');
});
