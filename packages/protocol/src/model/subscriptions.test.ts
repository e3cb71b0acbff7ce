import { expect, test } from "vitest";
import { parseListenFilter, toEveryChange } from "./subscriptions.ts";

test("toEveryChange announces every list change and resource that a filter covers (E-17, J-60)", () => {
  expect(toEveryChange({})).toEqual([]);
  expect(toEveryChange({ toolsListChanged: false, promptsListChanged: true, taskIds: ["t"] })).toEqual([
    { method: "notifications/prompts/list_changed", params: {} },
  ]);
  const all = {
    ...{ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
    resourceSubscriptions: ["x:/1", "x:/2"],
  };
  expect(toEveryChange(all).map(({ method, params: { uri } }) => [method, uri])).toEqual([
    ["notifications/tools/list_changed", undefined],
    ["notifications/prompts/list_changed", undefined],
    ["notifications/resources/list_changed", undefined],
    ["notifications/resources/updated", "x:/1"],
    ["notifications/resources/updated", "x:/2"],
  ]);
});

test.each([
  [{}, '"notifications" must be an object, got nothing'],
  [{ notifications: { toolsListChanged: 1 } }, '"toolsListChanged" must be a boolean'],
  [
    { notifications: { resourceSubscriptions: [1] } },
    '"notifications.resourceSubscriptions" must be an array of strings',
  ],
])("parseListenFilter rejects %j (E-10)", (params, message) => {
  expect(() => parseListenFilter(params)).toThrow(message);
});
