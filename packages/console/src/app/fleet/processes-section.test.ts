// The processes and sessions of an upstream, as replicas of several versions answer.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { UpstreamDetail } from "../admin/admin-api.ts";
import { ProcessesSection } from "./processes-section.tsx";

it("shows an answer of an earlier version, which does not name the replicas", () => {
  const upstream = { kind: "http", processes: [], openSessions: [] } as unknown as UpstreamDetail;
  expect(renderToStaticMarkup(createElement(ProcessesSection, { upstream }))).toContain("No open session");
});
