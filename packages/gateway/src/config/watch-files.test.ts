import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type FileWatch, watchFiles } from "./watch-files.ts";

let folder: string;
let watch: FileWatch | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lethe-watch-"));
});
afterEach(() => {
  watch?.close();
  rmSync(folder, { recursive: true });
});

async function start(...names: string[]) {
  const onChange = vi.fn();
  watch = watchFiles({ settleMs: 5, onChange });
  await watch.follow(names.map((name) => join(folder, name)));
  return onChange;
}

describe("watched files", () => {
  it("reports each write to a watched file once", async () => {
    writeFileSync(join(folder, "a"), "1");
    const onChange = await start("a");
    writeFileSync(join(folder, "a"), "2");
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1));
    writeFileSync(join(folder, "a"), "3");
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(2));
  });

  it("reports a watched file that an editor replaces", async () => {
    writeFileSync(join(folder, "a"), "1");
    const onChange = await start("a");
    writeFileSync(join(folder, "a.new"), "2");
    renameSync(join(folder, "a.new"), join(folder, "a"));
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1));
  });

  it("reports a watched file behind a link that is swapped, as Kubernetes does", async () => {
    writeFileSync(join(folder, "v1"), "1");
    writeFileSync(join(folder, "v2"), "2");
    symlinkSync("v1", join(folder, "current"));
    symlinkSync("current", join(folder, "a"));
    const onChange = await start("a");
    symlinkSync("v2", join(folder, "next"));
    renameSync(join(folder, "next"), join(folder, "current"));
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1));
  });

  it("ignores a watched file with new metadata and the same contents", async () => {
    writeFileSync(join(folder, "a"), "1");
    writeFileSync(join(folder, "b"), "1");
    const onChange = await start("a", "b");
    const noticed = vi.fn();
    const other = watchFiles({ settleMs: 20, onChange: noticed });
    await other.follow([join(folder, "c")]);
    writeFileSync(join(folder, "a"), "1");
    writeFileSync(join(folder, "c"), "1");
    // The watcher with the longer delay has noticed, so the other one would have noticed too.
    await vi.waitFor(() => expect(noticed).toHaveBeenCalled());
    other.close();
    expect(onChange).not.toHaveBeenCalled();
    writeFileSync(join(folder, "b"), "2");
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1));
  });

  it("reports a change during reading when watching continues", async () => {
    writeFileSync(join(folder, "a"), "1");
    const onChange = await start("a");
    writeFileSync(join(folder, "a"), "2");
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1));
    writeFileSync(join(folder, "a"), "3");
    await watch?.follow([join(folder, "a")]);
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(2));
  });

  it("reports a change of a watched file in a folder in which another file is written all the time", async () => {
    writeFileSync(join(folder, "a"), "1");
    const onChange = vi.fn();
    watch = watchFiles({ settleMs: 20, onChange });
    await watch.follow([join(folder, "a")]);
    const writing = setInterval(() => writeFileSync(join(folder, "log"), "."), 2);
    writeFileSync(join(folder, "a"), "2");
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1)).finally(() => clearInterval(writing));
  });

  it("stops watching a file when other files are watched instead", async () => {
    const onChange = await start("a");
    await watch?.follow([join(folder, "b")]);
    writeFileSync(join(folder, "a"), "1");
    writeFileSync(join(folder, "b"), "1");
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1));
    expect(onChange).toHaveBeenCalledTimes(1);
  });
});
