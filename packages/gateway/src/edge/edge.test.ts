import type { Dispatch } from "@lethe/protocol";
import { expect, it } from "vitest";
import { mergeCatalogs } from "../catalog/merge-catalogs.ts";
import { partOf, toolOf } from "../testing/catalogs.ts";
import { createFakeExchange, done, requestOf } from "../testing/fakes.ts";
import { createEdge } from "./edge.ts";
import { createPolicy } from "./policy/policy.ts";

it("applies the policy to a call that waited for its upstream, once the tool is known", async () => {
  let current = mergeCatalogs([]);
  let read = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    read = resolve;
  });
  const called: unknown[] = [];
  const answer: Dispatch = async ({ params }) => {
    called.push(params.name);
    return done;
  };
  const endpoint = {
    path: "/mcp",
    view: {
      get current() {
        return current;
      },
    },
    servable: { dispatch: answer },
    answer,
    untilKnown: () => (current.toolRoutes.size === 0 ? waiting : undefined),
  };
  const policy = createPolicy([{ effect: "deny", tools: ["secret"] }, { effect: "allow" }]);
  const front = createEdge({ endpointAt: () => endpoint, settings: {}, policy, onDone() {} } as never);
  const dispatch = front.servableAt("/mcp")?.dispatch as Dispatch;
  const denied = dispatch(requestOf("tools/call", { name: "files__secret" }), createFakeExchange());
  const allowed = dispatch(requestOf("tools/call", { name: "files__open" }), createFakeExchange());
  current = mergeCatalogs([partOf("files", { tools: [toolOf("secret"), toolOf("open")] })]);
  read();
  await expect(denied).rejects.toMatchObject({ code: -32602, message: "unknown tool: files__secret" });
  expect(await allowed).toBe(done);
  expect(called).toEqual(["files__open"]);
});
