// The processes and sessions of an upstream, as replicas of several versions answer.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { UpstreamDetail } from "../admin/admin-api.ts";
import { ProcessesSection } from "./processes-section.tsx";

it("shows the replica in the place of memory and last use where there is no room for both", () => {
  const upstream = {
    kind: "stdio",
    processes: [],
    openSessions: [],
    replicas: ["r1", "r2"],
  } as unknown as UpstreamDetail;
  const markup = renderToStaticMarkup(createElement(ProcessesSection, { upstream }));
  for (const column of ["p2 col-memory", "p2 col-idle", "p1 col-replica"]) expect(markup).toContain(column);
});

it("shows an answer of an earlier version, which does not name the replicas", () => {
  const upstream = { kind: "http", processes: [], openSessions: [] } as unknown as UpstreamDetail;
  expect(renderToStaticMarkup(createElement(ProcessesSection, { upstream }))).toContain("No open session");
});
