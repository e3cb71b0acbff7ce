import { expect, test } from "vitest";
import { uriFormsOf } from "./uri-forms.ts";

test("a URI is read as it is, with its dot segments resolved, and without needless encoding", () => {
  expect(uriFormsOf("file:///data/notes")).toEqual(["file:///data/notes"]);
  expect(uriFormsOf("file:///data/../etc")).toContain("file:///etc");
  expect(uriFormsOf("file:///data/%2e%2e/etc")).toContain("file:///etc");
  expect(uriFormsOf("file:///%73ecret%2Dkey")).toContain("file:///secret-key");
});

test("what separates parts of a URI stays encoded, and what is no URI stays as it is", () => {
  expect(uriFormsOf("file:///a%2Fb%20c")).toEqual(["file:///a%2Fb%20c"]);
  expect(uriFormsOf("no uri")).toEqual(["no uri"]);
});
