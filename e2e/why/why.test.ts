// Runs the same server in four libraries, and compares what works with the table of docs/why.md.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Era } from "@lethe/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPython, newestFastmcp } from "../programs/python.ts";
import { type Program, type RunningServer, startPublished } from "../servers/published.ts";
import { closeClients, features, isStateUnreadable, sizeOf } from "./measure.ts";

const pathOf = (file: string) => fileURLToPath(new URL(`servers/${file}`, import.meta.url));
/** The full test run also installs the packages of Python. */
const isFull = process.env.LETHE_FULL === "1";
const python = isFull ? await installPython(newestFastmcp) : { reason: "only in the full test run" };
const contenders: readonly { name: string; file: string; program?: Program }[] = [
  { name: "Lethe", file: "lethe.mjs" },
  { name: "official SDK 2.4.0", file: "official.mjs" },
  { name: "fastmcp 4.20 (npm)", file: "fastmcp.mjs" },
  {
    name: "FastMCP 4.1 (Python)",
    file: "fastmcp_server.py",
    ...("python" in python &&
      python.python && { program: { command: python.python, args: [pathOf("fastmcp_server.py")] } }),
  },
];
const eras: readonly Era[] = ["modern", "legacy"];
const documented = readFileSync(new URL("../../docs/why.md", import.meta.url), "utf8");

/** The cells of a column of the documented table, by the name of their row. */
function columnOf(name: string): Map<string, string> {
  const rows = documented.split("\n").flatMap((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    return line.startsWith("|") ? [cells.slice(1, -1)] : [];
  });
  const header = rows.find((cells) => cells.includes(name)) ?? [];
  const index = header.indexOf(name);
  return new Map(rows.map((cells) => [cells[0] ?? "", cells[index] ?? ""]));
}

function toCell(modern: boolean, legacy: boolean): string {
  if (modern && legacy) return "yes";
  return modern ? "2026-07-28" : legacy ? "2025-11-25" : "no";
}

describe.each(contenders)("$name", ({ name, file, program }) => {
  const column = columnOf(name);
  let server: RunningServer | undefined;
  beforeAll(async () => {
    const isPython = file.endsWith(".py");
    if (isPython && program === undefined) return;
    process.env.KEYS = `k1:${Buffer.alloc(32, 7).toString("base64url")}`;
    const started = program ?? { command: process.execPath, args: [pathOf(file)] };
    server = await startPublished({ program: () => started, path: "/mcp" });
  }, 60_000);
  afterAll(async () => {
    await closeClients();
    await server?.stop();
  });

  it("the size of its server is the documented one", () => {
    const { lines, characters } = sizeOf(pathOf(file));
    expect(column.get("lines")).toBe(String(lines));
    expect(column.get("characters")).toBe(characters.toLocaleString("en"));
  });

  if (file.endsWith(".py") && !isFull) return;

  it.skipIf(file.endsWith(".py") && program === undefined).each(Object.entries(features))(
    "the documented clients can use: %s",
    async (feature, works) => {
      const [modern = false, legacy = false] = await Promise.all(
        eras.map((era) => works(server?.url ?? "", era).catch(() => false)),
      );
      expect(toCell(modern, legacy)).toBe(column.get(feature));
    },
    60_000,
  );

  it.skipIf(file.endsWith(".py") && program === undefined)(
    "the state between two rounds is readable for the client or not, as documented",
    async () => {
      const isUnreadable = await isStateUnreadable(server?.url ?? "").catch(() => false);
      expect(isUnreadable ? "yes" : "no").toBe(column.get("state between rounds is encrypted")?.replace("–", "no"));
    },
  );
});
