// One line that says what is going on and is gone afterwards. Only on a terminal: a log has no use for it.

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
      // What it tells of may come from a server or a file, and must stay on its line.
      const line = text.replace(/\p{Cc}+/gu, " ").slice(0, (terminal.columns ?? 80) - 1);
      terminal.write(`\r\u001b[2K${line}`);
    },
    clear() {
      if (isShown) terminal.write("\r\u001b[2K");
      isShown = false;
    },
  };
}
