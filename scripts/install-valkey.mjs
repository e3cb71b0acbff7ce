// Finds valkey-server, or unpacks it from the backports of Debian 12 into .cache/valkey. Nothing is installed in the system.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { root } from "./run-command.mjs";

const folder = `${root}.cache/valkey`;
const program = `${folder}/usr/bin/valkey-server`;
const packages = ["valkey-server", "valkey-tools"];
const release = "bookworm";
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Returns the path of the program. Throws an Error that says what is missing. */
export function installValkey() {
  if (spawnSync("valkey-server", ["--version"]).error === undefined) return "valkey-server";
  if (existsSync(program)) return program;
  console.error("Unpacking Valkey …");
  const own = `${folder}.${process.pid}`;
  try {
    download(own);
    for (const file of readdirSync(own).filter((name) => name.endsWith(".deb"))) run(own, "dpkg", "-x", file, ".");
    rmSync(folder, { recursive: true, force: true });
    renameSync(own, folder);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  return program;
}

/** Reads the lists of one source only, into folders of its own. */
function download(own) {
  for (const name of ["lists/partial", "cache/archives/partial"]) mkdirSync(`${own}/${name}`, { recursive: true });
  writeFileSync(`${own}/sources.list`, findBackports());
  const places = {
    "Dir::Etc::SourceList": `${own}/sources.list`,
    "Dir::Etc::SourceParts": "/dev/null",
    "Dir::State::Lists": `${own}/lists`,
    "Dir::Cache": `${own}/cache`,
  };
  const options = Object.entries(places).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  run(own, "apt-get", "-qq", ...options, "update");
  run(own, "apt-get", "-qq", ...options, "download", ...packages);
}

/** The line of a source list for the backports, at the place from which the system gets its packages. */
function findBackports() {
  const format = "$(REPO_URI) $(CODENAME)";
  const targets = run(".", "apt-get", "indextargets", "--format", format, "Created-By: Packages").split("\n");
  const [uri] = targets.map((line) => line.split(" ")).find(([, codename]) => codename === release) ?? [];
  if (!uri)
    throw new Error(`valkey-server is not installed, and apt-get of this machine has no packages of ${release}`);
  return `deb ${existsSync(keyring) ? `[signed-by=${keyring}] ` : ""}${uri} ${release}-backports main\n`;
}

function run(cwd, command, ...args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.at(-1)}: ${error?.message ?? stderr.trim().split("\n").at(-1)}`);
}
