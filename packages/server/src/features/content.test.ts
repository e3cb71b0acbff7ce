import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toBase64 } from "./base64.ts";
import { audio, embedded, image, isContentBlock, link, text } from "./content.ts";

describe("content blocks", () => {
  it("the content helpers build each kind of block in one call (E-68)", () => {
    const annotations = { priority: 1 };
    expect(text("a", { annotations })).toEqual({ type: "text", text: "a", annotations });
    expect(image("AA==", "image/png")).toEqual({ type: "image", data: "AA==", mimeType: "image/png" });
    expect(audio(new Uint8Array(1), "audio/wav")).toEqual({ type: "audio", data: "AA==", mimeType: "audio/wav" });
    expect(link("a://b", { title: "B", size: 1 })).toEqual({
      type: "resource_link",
      uri: "a://b",
      name: "a://b",
      title: "B",
      size: 1,
    });
    expect(embedded("a://b", "x", { mimeType: "text/html", annotations })).toEqual({
      type: "resource",
      resource: { uri: "a://b", mimeType: "text/html", text: "x" },
      annotations,
    });
    expect(embedded("a://b", new Uint8Array(1))).toEqual({
      type: "resource",
      resource: { uri: "a://b", blob: "AA==" },
    });
  });

  it("isContent distinguishes content blocks from data", () => {
    const blocks = [text("a"), image("", "a/b"), audio("", "a/b"), link("a://b"), embedded("a://b", "")];
    expect(blocks.every(isContentBlock)).toBe(true);
    const data = [
      null,
      "text",
      [],
      {},
      { type: "text" },
      { type: "image", data: "" },
      { type: "resource" },
      { type: "x" },
    ];
    expect(data.some(isContentBlock)).toBe(false);
  });
});

describe("toBase64", () => {
  it("toBase64 encodes any bytes as Node does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      }),
    );
  });

  it("toBase64 encodes more bytes than a call accepts arguments", () => {
    const bytes = new Uint8Array(1_000_000).fill(7);
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
  });
});
