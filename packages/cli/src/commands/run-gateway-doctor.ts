// Runs `lethe gateway doctor`: collects the findings of all areas and prints them.
import { ConfigError, type ReadConfig } from "@lethe/gateway";
import { keysFromEnvironment } from "@lethe/server/stores";
import { toWorkerCount } from "@lethe/server/workers";
import { checkCertificates } from "../doctor/check-certificates.ts";
import { checkDatabase } from "../doctor/check-database.ts";
import { checkKeys } from "../doctor/check-keys.ts";
import { checkLimits } from "../doctor/check-limits.ts";
import { checkPorts } from "../doctor/check-ports.ts";
import { checkStore } from "../doctor/check-store.ts";
import { checkTelemetry } from "../doctor/check-telemetry.ts";
import { checkUpstreams } from "../doctor/check-upstreams.ts";
import { areas, type Finding, ok, problem, warning } from "../doctor/finding.ts";
import { exitCode } from "../exit-code.ts";
import type { ConfigOptions, ListenOptions, WorkersOption } from "../gateway-command/gateway-options.ts";
import { loadConfig } from "../gateway-command/load-config.ts";
import { print, printJson } from "../output/print.ts";
import { toPrintable } from "../terminal/printable.ts";
import { createProgressLine } from "../terminal/progress-line.ts";
import { createStyle, type Style } from "../terminal/style.ts";

export interface DoctorOptions extends ConfigOptions, WorkersOption, Pick<ListenOptions, "port" | "host"> {
  /** False does not start the servers. */
  start: boolean;
  /** In seconds. */
  timeout: number;
  json?: boolean;
}

/** The output of `--json`. Later versions may add members but remove none. */
export interface DoctorReport {
  /** True without a problem. Warnings do not count. */
  readonly isHealthy: boolean;
  readonly findings: readonly Finding[];
}

/** Sets the exit code if there is a problem. Rejects with CommandError. */
export async function runGatewayDoctor(options: DoctorOptions): Promise<void> {
  const findings = await findAll(options);
  const isHealthy = findings.every(({ level }) => level !== "problem");
  if (options.json) printJson({ isHealthy, findings } satisfies DoctorReport);
  else print(toDoctorText(findings, createStyle(process.stdout)));
  if (!isHealthy) process.exitCode = exitCode.usage;
}

async function findAll(options: DoctorOptions): Promise<readonly Finding[]> {
  let read: ReadConfig;
  try {
    read = await loadConfig(options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const diagnosis = { cause: "a gateway does not start with this file", remedy: "correct the file at this place" };
    return error.problems.map((text) => problem("config", text, diagnosis));
  }
  const { config, notes, files, secrets } = read;
  const { port, host } = options;
  const settings = { ...config.settings, ...(port !== undefined && { port }), ...(host !== undefined && { host }) };
  const workers = toWorkerCount(options.workers ?? settings.workers ?? 1);
  const keys = keysFromEnvironment();
  const remarks = notes.map((note) =>
    warning("config", note, {
      cause: "the configuration is valid, but may not do what is meant",
      remedy: "see the text",
    }),
  );
  const line = createProgressLine(process.stderr);
  line.show("checking ports, keys, the shared store, certificates, telemetry and limits …");
  const found = await Promise.all([
    [ok("config", `${files.join(", ")}: ${config.upstreams.length} servers`), ...remarks],
    checkPorts(settings),
    checkKeys(settings, keys),
    settings.redis ? checkStore(settings.redis, keys) : [],
    settings.postgres ? checkDatabase(settings.postgres, workers) : [],
    checkCertificates(config),
    checkTelemetry(settings),
    checkLimits(settings),
    options.start ? startAll(config, options.timeout, [...secrets], line) : [],
  ]);
  line.clear();
  return found.flat().sort((one, other) => areas.indexOf(one.area) - areas.indexOf(other.area));
}

async function startAll(
  config: ReadConfig["config"],
  seconds: number,
  secrets: readonly string[],
  line: ReturnType<typeof createProgressLine>,
): Promise<Finding[]> {
  const open = new Set(config.upstreams.map(({ name }) => name));
  const show = () => line.show(`starting ${[...open].join(", ")} …`);
  show();
  return checkUpstreams(config, {
    timeoutMs: seconds * 1_000,
    secrets,
    onDone(name) {
      open.delete(name);
      if (open.size > 0) show();
    },
  });
}

export function toDoctorText(findings: readonly Finding[], style: Style): string {
  const marks = { ok: style.green("✓"), warning: style.yellow("!"), problem: style.red("✗") };
  const lines = findings.flatMap(({ area, level, text, cause, remedy }) => [
    `${marks[level]} ${area.padEnd(9)} ${toPrintable(text)}`,
    ...(cause === undefined ? [] : [`            ${style.dim("cause:")}  ${toPrintable(cause)}`]),
    ...(remedy === undefined ? [] : [`            ${style.dim("remedy:")} ${toPrintable(remedy)}`]),
  ]);
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  return `${lines.join("\n")}\n\n${problems} ${problems === 1 ? "problem" : "problems"}, ${warnings} ${warnings === 1 ? "warning" : "warnings"}\n`;
}
