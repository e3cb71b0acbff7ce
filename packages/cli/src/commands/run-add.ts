// Runs `lethe add`: reads the entry of the registry, shows what it would run, and writes it like `lethe install`.
import { isJsonObject } from "@lethe/protocol";
import { parse } from "jsonc-parser";
import { CommandError } from "../exit-code.ts";
import type { ClientFormat, InstallTarget } from "../install/clients.ts";
import { toLineDiff } from "../install/line-diff.ts";
import { backupOf, readSettings, writeSettings } from "../install/settings-file.ts";
import { requireConsent, showDiff } from "../install/show-change.ts";
import { printJson } from "../output/print.ts";
import { fetchEntry } from "../registry/fetch-entry.ts";
import { InputValues } from "../registry/fill-inputs.ts";
import { parseEntry, type RegistryServer } from "../registry/parse-entry.ts";
import { type Offer, type RegistryTarget, toOffers } from "../registry/to-target.ts";
import { toPrintableLine } from "../terminal/printable.ts";
import { whileWaiting } from "../terminal/waiting-line.ts";
import { findClientFile, setServer } from "./run-install.ts";
import { requireServerUrl } from "./server-url.ts";

export interface AddOptions {
  file?: string;
  client?: string;
  scope: "user" | "project";
  home?: string;
  use?: string;
  set?: Record<string, string>;
  version: string;
  registry: string;
  name?: string;
  yes?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

interface Destination {
  readonly client: ClientFormat;
  readonly file: string;
  readonly before: string | undefined;
}

/** Rejects with CommandError. */
export async function runAdd(name: string, options: AddOptions): Promise<void> {
  requireSecureUrl(options.registry);
  if (options.file !== undefined && options.client !== undefined) {
    throw new CommandError("--file and --client exclude each other");
  }
  const server = parseEntry(await whileWaiting("the registry", fetchEntry({ ...options, name })), name);
  const offers = toOffers(server);
  const offer = chooseOffer(offers, options.use, name);
  const destination = await toDestination(options);
  const values = new InputValues(options.set ?? {}, options.client === undefined);
  const target = offer.toTarget(values);
  if (!options.json) show(server, offers, { offer, target, values });
  requireComplete(values, name);
  requireUrl(target);
  if (destination === undefined) return void (options.json ? printJson({ name, target }) : printNext(name));
  await write(server, { target, values, destination, options });
}

function requireSecureUrl(registry: string): void {
  requireServerUrl(registry);
  const { protocol, hostname } = new URL(registry);
  if (protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname)) return;
  throw new CommandError("--registry must be an https URL, because the registry decides what runs");
}

function chooseOffer(offers: readonly Offer[], use: string | undefined, name: string): Offer {
  const fitting = offers.filter(({ kind }) => use === undefined || kind === use);
  const chosen = fitting.find(({ obstacle }) => obstacle === undefined);
  if (chosen) return chosen;
  const reasons = fitting.map(({ title, obstacle }) => `\n  ${toPrintableLine(`${title}: ${obstacle}`)}`);
  const kinds = [...new Set(offers.map(({ kind }) => kind))].join(", ") || "no package and no remote server";
  throw new CommandError(
    reasons.length > 0 ? `${name} cannot be added:${reasons.join("")}` : `${name} has ${toPrintableLine(kinds)}`,
  );
}

async function toDestination({ file, client, scope, home }: AddOptions): Promise<Destination | undefined> {
  if (client !== undefined) {
    const found = findClientFile(client, { scope, ...(home !== undefined && { home }) });
    return { ...found, before: await readSettings(found.file) };
  }
  if (file === undefined) return undefined;
  const before = await readSettings(file);
  return { client: toGatewayFormat(before ?? ""), file, before };
}

/** A file of VS Code keeps its member `servers`. Its errors are found when it is edited. */
function toGatewayFormat(before: string): ClientFormat {
  const document: unknown = parse(before, [], { allowTrailingComma: true });
  const isEditorFile = isJsonObject(document) && isJsonObject(document.servers) && document.mcpServers === undefined;
  return {
    format: "json",
    key: isEditorFile ? "servers" : "mcpServers",
    file: () => undefined,
    toEntry(target: RegistryTarget) {
      if (!("url" in target)) {
        const { command, args, env } = target;
        return { command, args, ...(Object.keys(env).length > 0 && { env }) };
      }
      const { url, headers, transport } = target;
      return { type: transport ?? "http", url, ...(Object.keys(headers).length > 0 && { headers }) };
    },
  };
}

interface Choice {
  readonly offer: Offer;
  readonly target: RegistryTarget;
  readonly values: InputValues;
}

function show(server: RegistryServer, offers: readonly Offer[], { offer, target, values }: Choice): void {
  const lines = [`${server.name} ${server.version}`];
  if (server.description !== "") lines.push(`  ${server.description}`);
  if (server.warning !== undefined) lines.push(`  Warning of the registry: ${server.warning}`);
  lines.push("", ...("url" in target ? ["Reaches:", `  ${target.url}`] : ["Runs:", `  ${toCommandText(target)}`]));
  const named = Object.keys("url" in target ? target.headers : target.env);
  if (named.length > 0)
    lines.push("url" in target ? "With the headers:" : "With the variables:", `  ${named.join(", ")}`);
  if (values.references.length > 0)
    lines.push("From the environment of the gateway:", ...values.references.map(toLine));
  const others = offers.filter((other) => other !== offer);
  if (others.length > 0) lines.push("Not used (see --use):", ...others.map(toOfferLine));
  process.stdout.write(
    `${lines.map((line) => (line.startsWith("  ") ? `  ${toPrintableLine(line)}` : toPrintableLine(line))).join("\n")}\n\n`,
  );
}

/** Each argument that is not one plain word is in quotes, so that it shows where arguments end. */
function toCommandText({ command, args }: Extract<InstallTarget, { command: string }>): string {
  return [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}

function toLine({ name, description }: { name: string; description: string }): string {
  return `  ${name}${description === "" ? "" : `: ${description}`}`;
}

function toOfferLine({ kind, title, obstacle }: Offer): string {
  return `  ${kind}: ${title}${obstacle === undefined ? "" : ` (${obstacle})`}`;
}

function requireComplete({ missing, problems, unknown, known }: InputValues, name: string): void {
  if (unknown.length > 0) {
    const names = known.length === 0 ? "it takes none" : `it takes ${known.join(", ")}`;
    throw new CommandError(`${name} does not take --set ${unknown.join(", ")}; ${toPrintableLine(names)}`);
  }
  if (problems.length > 0) throw new CommandError(problems.join("; "));
  if (missing.length === 0) return;
  const lines = missing.map((input) => `\n${toPrintableLine(toLine(input)).replace(/^/, "  --set ")}`);
  throw new CommandError(`${name} needs values:${lines.join("")}`);
}

/** Values may have completed the template of a URL. */
function requireUrl(target: RegistryTarget): void {
  if (!("url" in target) || target.url.includes("${")) return;
  requireServerUrl(target.url);
}

function printNext(name: string): void {
  process.stdout.write(
    `Nothing was written. Next:\n  lethe add ${name} --file servers.json\n  lethe add ${name} --client claude-code\n`,
  );
}

interface Writing {
  readonly target: RegistryTarget;
  readonly values: InputValues;
  readonly destination: Destination;
  readonly options: AddOptions;
}

async function write(server: RegistryServer, { target, values, destination, options }: Writing): Promise<void> {
  const { client, file, before } = destination;
  if (options.client !== undefined && target.transport === "sse") {
    throw new CommandError(
      `${options.client} takes no server with SSE here; use --file, or another package with --use`,
    );
  }
  const name = options.name ?? toServerName(server.name);
  const after = await setServer(client, { file, before: before ?? "", name, target });
  const diff = toLineDiff(before ?? "", after);
  const isWritten = diff.length > 0 && !options.dryRun;
  if (!options.json) showDiff(file, diff);
  if (isWritten) {
    if (!options.yes) await requireConsent(file);
    await writeSettings(file, before, after);
  }
  const environment = values.references.map((reference) => reference.name);
  if (options.json) {
    const backup = isWritten ? backupOf(file) : undefined;
    return printJson({ name, file, target, environment, isWritten, diff, backup });
  }
  const former = before === undefined ? "" : ` The former file is ${backupOf(file)}.`;
  if (isWritten) process.stdout.write(`Wrote ${file}.${former}\n`);
}

/** Files of clients take no dots. */
function toServerName(name: string): string {
  return name
    .slice(name.indexOf("/") + 1)
    .replaceAll(/[^\w-]+/g, "-")
    .slice(0, 64);
}
