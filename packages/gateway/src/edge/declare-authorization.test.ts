// What the front door declares in server/discover.
import { type Dispatch, withMiddleware } from "@lethe/protocol";
import { expect, it } from "vitest";
import { declareAuthorization } from "./declare-authorization.ts";

const id = "io.modelcontextprotocol/oauth-client-credentials";
const answer = { resultType: "complete", capabilities: { tools: {}, extensions: { "com.example/x": { a: 1 } } } };
const dispatch = withMiddleware((async () => answer) as Dispatch, [declareAuthorization(["oauth-client-credentials"])]);
const request = (method: string) => dispatch({ id: 1, method, params: {} } as never, {} as never);

it("adds its extensions to those of the endpoint, and serializes the same result once", async () => {
  const result = await request("server/discover");
  expect(result).toEqual({
    ...answer,
    capabilities: { tools: {}, extensions: { "com.example/x": { a: 1 }, [id]: {} } },
  });
  expect(await request("server/discover")).toBe(result);
});

it("leaves other results as they are", async () => {
  expect(await request("tools/list")).toBe(answer);
});
