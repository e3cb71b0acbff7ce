// lethe compare --record PORT --to URL: runs only the recording proxy, for any client.
import { type Comparison, recordTraffic } from "@lethe/compare";
import { CommandError } from "../exit-code.ts";
import { toPrintableLine } from "../terminal/printable.ts";
import { createStyle } from "../terminal/style.ts";

/** Resolves with the recording when the user stops it. */
export async function recordUntilStopped(port: string, to: string | undefined): Promise<Comparison> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new CommandError(`--record must be a port from 0 to 65535, got "${port}"`);
  }
  if (to === undefined || !/^https?:\/\//i.test(to) || !URL.canParse(to)) {
    throw new CommandError(`--record needs --to with an http or https URL, got ${to ?? "nothing"}`);
  }
  const { username, password } = new URL(to);
  if (username !== "" || password !== "") {
    throw new CommandError("--to takes no credentials: the recorded client sends its own");
  }
  const style = createStyle(process.stderr);
  const report = (line: string): void => void process.stderr.write(style.dim(`${toPrintableLine(line)}\n`));
  const traffic = await recordTraffic(new URL(to), { port: Number(port), onResponse: report, onRemark: report }).catch(
    (error: Error) => {
      throw new CommandError(`cannot listen on port ${port}: ${toReason(error)}; 0 takes any free port`);
    },
  );
  process.stderr.write(`Recording at ${traffic.url}, forwarded to ${to}\nCtrl-C stops it and prints the report.\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
  return traffic.finish();
}

function toReason({ code, message }: NodeJS.ErrnoException): string {
  if (code === "EADDRINUSE") return "it is in use";
  return code === "EACCES" ? "permission denied" : message;
}
