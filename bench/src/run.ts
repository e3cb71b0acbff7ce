// npm run bench: measures every contender with every workload. Progress on stderr, the report on stdout.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { floorName } from "./contenders.ts";
import { separateCores } from "./measure/cores.ts";
import { type Section, summarise } from "./measure/section.ts";
import { formatSection } from "./measure/table.ts";
import { type Options, parseOptions, usage } from "./options.ts";

process.exitCode = await main();

async function main(): Promise<number> {
  let options: Options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    return 2;
  }
  if (options.help) {
    console.log(usage);
    return 0;
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  const sections = await measure(options);
  const failures = sections.flatMap(({ id, rows }) =>
    rows.flatMap(({ contender, failure }) => (failure === undefined ? [] : [`${contender} failed ${id}: ${failure}`])),
  );
  if (failures.length > 0) console.error(`\n${failures.join("\n")}`);
  return failures.length > 0 ? 1 : 0;
}

async function measure({ contenders, workloads, rounds, seconds, json }: Options): Promise<Section[]> {
  const started = performance.now();
  const cores = separateCores();
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.version}, ${cores.note}`;
  console.log(
    `# Benchmark\n\n${machine}; medians of ${rounds} rounds of ${seconds} s, interleaved; ratios within a round.`,
  );
  const sections: Section[] = [];
  for (const workload of workloads) {
    const progress = (doing: string): void => showProgress(`${workload.id}: ${doing}`);
    const section = await workload.run({ contenders, rounds, seconds, cores, progress });
    sections.push(section);
    showProgress("");
    console.log(`\n${formatSection(section, floorName)}`);
  }
  console.error(`${Math.round((performance.now() - started) / 1000)} s`);
  if (json !== undefined) {
    const report = sections.map((section) => ({ ...section, summary: summarise(section, floorName) }));
    writeFileSync(json, `${JSON.stringify({ machine, rounds, seconds, sections: report }, null, 2)}\n`);
  }
  return sections;
}

/** Overwrites one line on a terminal, and prints a line per step elsewhere. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
  else if (text) process.stderr.write(`${text}\n`);
}
