// The figures that a replica sends to the one that serves a console.
import { expect, it } from "vitest";
import { emptyGatewayView } from "../../../testing/empty-view.ts";
import { createTraffic } from "../../observe/traffic.ts";
import { toGatewayFigures } from "./figures.ts";

it("counts all sessions, pending calls and tasks, also those that no list shows", () => {
  const view = { ...emptyGatewayView, sessionCount: 1_200, pendingCallCount: 3, taskCount: 2 };
  expect(toGatewayFigures(view, createTraffic())).toMatchObject({ sessions: 1_200, pendingCalls: 3, tasks: 2 });
});
