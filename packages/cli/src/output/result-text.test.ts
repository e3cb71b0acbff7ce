import type { ContentBlock } from "@lethe/protocol";
import { expect, it } from "vitest";
import { toContentsText, toPromptText, toToolText } from "./result-text.ts";

const blob = Buffer.from("twelve bytes").toString("base64");

it.each<[what: string, block: ContentBlock, text: string]>([
  ["a text is itself", { type: "text", text: "a\nb" }, "a\nb"],
  ["an image is told of", { type: "image", data: blob, mimeType: "image/png" }, "[image image/png, 12 bytes]"],
  ["a link is named", { type: "resource_link", uri: "file:///a", name: "a" }, "[link file:///a]"],
  ["an embedded text is itself", { type: "resource", resource: { uri: "u", text: "inside" } }, "inside"],
  ["an embedded file is named", { type: "resource", resource: { uri: "u", blob } }, "[resource u]"],
  ["a new kind is named", { type: "hologram" } as unknown as ContentBlock, "[hologram]"],
])("%s", (_what, block, text) => {
  expect(toToolText({ resultType: "complete", content: [block] })).toBe(text);
});

it("structured content replaces missing content", () => {
  const result = { resultType: "complete", content: [], structuredContent: null };
  expect(toToolText(result)).toBe("null");
  expect(toToolText({ resultType: "complete", content: [] })).toBe("");
});

it("the messages of a prompt follow its description", () => {
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: "hi" } }];
  expect(toPromptText({ resultType: "complete", messages })).toBe("user: hi");
  expect(toPromptText({ resultType: "complete", messages, description: "Greets" })).toBe("Greets\n\nuser: hi");
});

it("binary contents are described", () => {
  expect(toContentsText({ uri: "u", blob, mimeType: "image/png" })).toBe("[image/png, 12 bytes]");
  expect(toContentsText({ uri: "u", blob })).toBe("[binary, 12 bytes]");
});
