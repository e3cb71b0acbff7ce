import { expect, test } from "vitest";
import { TemplateIndex } from "./template-index.ts";

function indexOf(...templates: string[]): TemplateIndex {
  const index = new TemplateIndex();
  for (const template of templates) index.add(template);
  return index;
}

test("matches a URI that fits any template of the index", () => {
  const index = indexOf("x:/{id}", "x:/a/{id}/b", "y:/plain", "{scheme}z:{+rest}");
  const fitting = ["x:/1", "x:/a/1/b", "y:/plain", "fooz:1/2"];
  expect(fitting.map((uri) => index.fits(uri))).toEqual([true, true, true, true]);
  expect(["x:/1/2", "y:/other", "", "x"].map((uri) => index.fits(uri))).toEqual([false, false, false, false]);
  expect(index.has("x:/{id}")).toBe(true);
  expect(index.has("x:/1")).toBe(false);
});

test("matches no template to a URI of more than 8,192 characters", () => {
  const index = indexOf("x:{+rest}");
  expect([8_192, 8_193].map((length) => index.fits("x:".padEnd(length, "a")))).toEqual([true, false]);
});

test("compares few of 100,000 templates in a look-up", { timeout: 10_000 }, () => {
  const index = indexOf(...Array.from({ length: 100_000 }, (_, at) => `x:/${at}/{id}`));
  // Each of these took 0.1 s or more when every template was compared.
  for (let at = 0; at < 20_000; at++) index.fits(`x:/${at}/1/unlisted`);
  expect(index.fits("x:/99999/1")).toBe(true);
});

test("compares templates that differ only in their middle quickly", { timeout: 10_000 }, () => {
  const index = indexOf(...Array.from({ length: 1_000 }, (_, at) => `x:{+a}${"b".padEnd(1_000, "a")}${at}{+c}z`));
  expect(index.fits(`${"x:".padEnd(8_000, "a")}z`)).toBe(false);
});
