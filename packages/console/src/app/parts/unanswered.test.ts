// The note on replicas whose part of the page is missing.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { UnansweredReplica } from "../admin/admin-api.ts";
import { Unanswered } from "./unanswered.tsx";

const render = (replicas: readonly UnansweredReplica[] | undefined) =>
  renderToStaticMarkup(createElement(Unanswered, { replicas }));

it("is absent where all replicas answered, and for an answer of an earlier version, which does not say", () => {
  expect(render([])).toBe("");
  expect(render(undefined)).toBe("");
});

it("names each replica with its reason", () => {
  const replicas = [
    { replica: "bbbbbbbb", reason: "it is of an earlier version" },
    { replica: "cccccccc", reason: "no answer within 2 s" },
  ];
  expect(render(replicas)).toContain(
    "Incomplete, without replica bbbbbbbb (it is of an earlier version), replica cccccccc (no answer within 2 s).",
  );
});
