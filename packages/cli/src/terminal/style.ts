// Colours text on a terminal. A pipe, a file or NO_COLOR gets plain text.

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

interface Output {
  isTTY?: boolean;
}

export function createStyle(output: Output, environment: NodeJS.ProcessEnv = process.env): Style {
  const isColoured = output.isTTY === true && !environment.NO_COLOR && environment.TERM !== "dumb";
  const paint = (open: number, close: number) => (text: string) =>
    isColoured ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39) };
}
