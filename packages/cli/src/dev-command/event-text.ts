// The text of what happens while a server is developed.
import { relative } from "node:path";
import type { DevEvent, ListKind } from "@lethe/dev";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { toCallLine } from "./call-line.ts";
import { toProblemText } from "./problem-text.ts";

export interface EventTextOptions {
  /** The file that the user named, as an absolute path. */
  readonly entry: string;
  readonly style: Style;
  readonly now?: () => Date;
}

export interface EventText {
  readonly text: string;
  readonly isError: boolean;
}

export function createEventText({
  entry,
  style,
  now = () => new Date(),
}: EventTextOptions): (event: DevEvent) => EventText {
  const line = (text: string): string => `${style.dim(toTime(now()))}  ${text}\n`;
  const says = (text: string): EventText => ({ text, isError: false });
  const complains = (text: string): EventText => ({ text, isError: true });
  return (event) => {
    switch (event.kind) {
      case "ready":
        return says(toReadyText(event, entry, style));
      case "reloaded":
        return says(line(`${style.green("reloaded")} in ${toMs(event.durationMs)}${toChanges(event.changed)}`));
      case "recovered":
        return says(line(`${style.green("unchanged")}: the code is again as it was before the error`));
      case "broken":
        return complains(
          `${event.problems.map((problem) => line(toProblemText(problem, style))).join("")}${style.dim(
            event.isServing ? "The code before it still answers." : "Nothing is served until it is fixed.",
          )} ${style.dim("Saving a change tries again.")}\n`,
        );
      case "slow":
        return complains(
          line(
            `${style.yellow("waiting")}: the code has been loading for ${event.afterMs / 1_000} s; a change starts it again`,
          ),
        );
      case "call":
        return says(line(toCallLine(event.call, style)));
      case "output":
        return { text: toPrintable(event.text), isError: event.stream === "stderr" };
      case "handlerError": {
        const place = `${event.method}${event.name === undefined ? "" : ` ${toPrintableLine(event.name)}`}`;
        return complains(
          line(`${toProblemText(event.problem, style)}\n  in ${place}; its caller got error id ${event.errorId}`),
        );
      }
      case "crashed":
        return complains(
          line(
            `${style.red("crashed")}: ${event.how}${event.isRestarting ? ", starting it again" : "; saving a change starts it again"}`,
          ),
        );
      case "restartNeeded":
        return complains(
          line(`${style.yellow("not applied")}: ${event.what} changed; start lethe dev again to use it`),
        );
      case "cutOff":
        return complains(line(`${style.yellow("ended a call")}: ${event.reason}`));
      case "watchFailed":
        return complains(line(`${style.yellow("not watched")}: ${event.message}; changes may go unnoticed`));
    }
  };
}

function toReadyText(
  { url, consoleUrl, name, counts, durationMs }: Extract<DevEvent, { kind: "ready" }>,
  entry: string,
  style: Style,
) {
  const offer = (Object.keys(counts) as ListKind[]).map((kind) => counted(counts[kind], kind)).join(", ");
  const what = `${toPrintableLine(name)}: ${offer}, loaded in ${toMs(durationMs)}`;
  if (url === undefined) return `${style.bold("Serving stdio")}  ${what}\n`;
  const inBrowser = consoleUrl === undefined ? "" : `\nOr open the web console:\n  ${consoleUrl}\n`;
  const file = relative(process.cwd(), entry);
  return `
${style.bold(`Listening on ${url}`)}  ${what}

Clients of every revision connect to this URL. Those that start a command run:
  npx lethe dev ${inShell(entry)} --stdio

Try:
  npx lethe list ${url}
${inBrowser}
${style.dim(`A change of ${file} and of what it imports is served at once. Ctrl-C stops it.`)}

`;
}

function counted(count: number, kind: ListKind): string {
  return `${count} ${count === 1 ? kind.slice(0, -1) : kind}`;
}

function toChanges(changed: readonly ListKind[]): string {
  return changed.length === 0 ? "" : `; clients are told that ${changed.join(" and ")} changed`;
}

function inShell(path: string): string {
  return /^[\w./\\:@+-]+$/.test(path) ? path : JSON.stringify(path);
}

function toTime(date: Date): string {
  return date.toTimeString().slice(0, 8);
}

function toMs(durationMs: number): string {
  return durationMs < 10_000 ? `${Math.round(durationMs)} ms` : `${Math.round(durationMs / 1_000)} s`;
}
