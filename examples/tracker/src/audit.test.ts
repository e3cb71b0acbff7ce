// Tests that concurrent writers of the audit file do not mix lines.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFileAudit } from "./audit.ts";

it("each audit entry is one line, also with concurrent writes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tracker-"));
  try {
    const file = join(folder, "audit.jsonl");
    const writers = [createFileAudit(file), createFileAudit(file)];
    const entries = Array.from({ length: 100 }, (_, bug) => ({ bug, resolution: "Fixed", at: "2026-07-28T00:00:00Z" }));
    await Promise.all(entries.map((entry, index) => writers[index % 2]?.(entry)));

    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    const bugs = lines.map((line) => JSON.parse(line).bug);
    expect(bugs.sort((one, other) => one - other)).toEqual(entries.map(({ bug }) => bug));
  } finally {
    await rm(folder, { recursive: true });
  }
});
