// Redraws lines in place on a terminal, in a screen of their own, which leaves the scroll-back as it was.

/** The part of a terminal stream that a screen uses. */
export interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): void;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

const start = "\u001b[";
const enter = `${start}?1049h${start}?25l`;
const leave = `${start}?25h${start}?1049l`;
/** Colours that `createStyle` writes. They take no space on the screen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with a control character
const colours = /(\u001b\[\d+m)/;

const usualColumns = 80;
const usualRows = 24;

export class LiveScreen {
  readonly #terminal: Terminal;
  readonly #redraw = (): void => this.#draw();
  #lines: readonly string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    terminal.write(enter);
    terminal.on("resize", this.#redraw);
  }

  show(lines: readonly string[]): void {
    this.#lines = lines;
    this.#draw();
  }

  /** Gives the terminal back. */
  close(): void {
    this.#terminal.off("resize", this.#redraw);
    this.#terminal.write(leave);
  }

  /** Overwrites each line and clears its rest, because clearing the screen first would flicker. */
  #draw(): void {
    // A terminal that does not know its size, such as one of a build server, has 0 columns.
    const columns = this.#terminal.columns || usualColumns;
    const rows = this.#terminal.rows || usualRows;
    const shown = this.#lines.slice(0, rows - 1).map((line) => `${cut(line, columns)}${start}K\r\n`);
    this.#terminal.write(`${start}H${shown.join("")}${start}J`);
  }
}

/** Cuts a line to a width. Colours stay complete. */
function cut(line: string, width: number): string {
  let left = width;
  return line
    .split(colours)
    .map((part, index) => {
      if (index % 2 === 1) return part;
      const kept = part.slice(0, left);
      left -= kept.length;
      return kept;
    })
    .join("");
}
