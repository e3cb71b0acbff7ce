// A line that shows progress and disappears afterwards. Printed only on a terminal.

export interface ProgressLine {
  show(text: string): void;
  clear(): void;
}

interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export function createProgressLine(terminal: Terminal): ProgressLine {
  let isShown = false;
  return {
    show(text) {
      if (!terminal.isTTY) return;
      isShown = true;
      // The text may come from a server or a file, so control characters are removed.
      const line = text.replace(/\p{Cc}+/gu, " ").slice(0, (terminal.columns ?? 80) - 1);
      terminal.write(`\r\u001b[2K${line}`);
    },
    clear() {
      if (isShown) terminal.write("\r\u001b[2K");
      isShown = false;
    },
  };
}
