import type { Result } from "@lethe/protocol";
import { expect, test } from "vitest";
import { requestOf } from "../../testing/fakes.ts";
import { publishResult } from "./public-references.ts";

const uris = {
  toPublic: (upstream: string, uri: string) => (uri.startsWith("own:") ? uri : `${upstream}+${uri}`),
  routeTo: (upstream: string, uri: string) => ({ uri: uri.replace(`${upstream}+`, "") }),
};
const publish = (method: string, params: object, result: object) =>
  publishResult({ resultType: "complete", ...result } as Result, "bank", requestOf(method, { ...params }), uris);

test("rewrites links, embedded resources and user interfaces in a tool result to lead to its upstream", () => {
  const content = [
    { type: "text", text: "x:/1" },
    { type: "resource_link", uri: "x:/1", name: "" },
    { type: "resource", resource: { uri: "x:/2", text: "" } },
    { type: "resource" },
    null,
  ];
  const sent = structuredClone(content);
  const result = publish("tools/call", { name: "t" }, { content, _meta: { ui: { resourceUri: "ui://p" }, other: 1 } });
  expect(result.content).toMatchObject([
    content[0],
    { uri: "bank+x:/1" },
    { resource: { uri: "bank+x:/2" } },
    content[3],
    null,
  ]);
  expect(result._meta).toEqual({ ui: { resourceUri: "bank+ui://p" }, other: 1 });
  expect(content).toEqual(sent);
});

test("returns a result without references as the same object", () => {
  const content = [
    { type: "text", text: "x" },
    { type: "resource_link", uri: "own:/1" },
  ];
  expect(publish("tools/call", { name: "t" }, { content }).content).toBe(content);
});

test("rewrites resources in prompt messages to lead to their upstream", () => {
  const block = { type: "resource", resource: { uri: "x:/1" } };
  const { messages } = publish(
    "prompts/get",
    { name: "p" },
    { messages: [{ content: block }, { content: [block] }, 1] },
  );
  const shown = { type: "resource", resource: { uri: "bank+x:/1" } };
  expect(messages).toEqual([{ content: shown }, { content: [shown] }, 1]);
});

test("returns the read resource under the requested URI and others under their public URIs", () => {
  const contents = [{ uri: "own:/dir" }, { uri: "x:/dir/file" }];
  const read = (uri: string) => publish("resources/read", { uri }, { contents }).contents;
  expect(read("bank+own:/dir")).toEqual([{ uri: "bank+own:/dir" }, { uri: "bank+x:/dir/file" }]);
  expect(read("own:/dir")).toEqual([{ uri: "own:/dir" }, { uri: "bank+x:/dir/file" }]);
});
