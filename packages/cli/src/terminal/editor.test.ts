import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { editorFrom } from "./editor.ts";

const { signal } = new AbortController();
/** An editor that runs JavaScript with the name of its file as `file`. */
const editorThat = (code: string) => {
  const script = `const file = process.argv[1], fs = require("node:fs"); ${code}`;
  const editor = editorFrom({ EDITOR: `"${process.execPath}" -e '${script}'` });
  if (!editor) throw new Error("no editor");
  return editor;
};
const leftFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("lethe-edit-"));

it("prefers VISUAL to EDITOR, and is undefined if both are empty", () => {
  expect(editorFrom({ VISUAL: "code --wait", EDITOR: "vi" })?.name).toBe("code");
  expect(editorFrom({ VISUAL: "", EDITOR: "vi" })?.name).toBe("vi");
  expect(editorFrom({ VISUAL: " " })).toBeUndefined();
});

it.skipIf(process.platform === "win32")("returns what was saved, without the last line break", async () => {
  const { edit } = editorThat('fs.appendFileSync(file, "two\\r\\nthree\\n")');
  expect(await edit("one", signal)).toBe("one\ntwo\nthree");
});

it.skipIf(process.platform === "win32")("lets only this account read the file, and removes it", async () => {
  const { edit } = editorThat("fs.writeFileSync(file, (fs.statSync(file).mode & 0o777).toString(8))");
  const before = leftFolders();
  expect(await edit("secret", signal)).toBe("600");
  expect(leftFolders()).toEqual(before);
});

it.skipIf(process.platform === "win32")(
  "rejects with the exit code of an editor that fails or does not exist",
  async () => {
    await expect(editorThat("process.exit(3)").edit("", signal)).rejects.toThrow(/ended with exit code 3$/);
    await expect(editorFrom({ EDITOR: "no-such-editor" })?.edit("", signal)).rejects.toThrow(
      "no-such-editor ended with exit code 127",
    );
  },
);

it.skipIf(process.platform === "win32")("ends the editor when the request is cancelled", async () => {
  const controller = new AbortController();
  const edited = editorThat("setInterval(() => {}, 1_000)").edit("", controller.signal);
  controller.abort();
  await expect(edited).rejects.toMatchObject({ name: "AbortError" });
});
