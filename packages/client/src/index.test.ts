import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultClientInfo } from "./connect/client-info.ts";
import * as door from "./index.ts";

test("the door exports what it is meant to, and nothing by accident", () => {
  expect(Object.keys(door).sort()).toMatchInlineSnapshot(`
    [
      "AuthorizationError",
      "McpError",
      "PendingCalls",
      "TransportError",
      "authorizationCode",
      "checkContent",
      "clientCredentials",
      "connect",
      "connectHttp",
      "connectHttpSse",
      "connectLegacy",
      "connectMemory",
      "connectStreamableHttp",
      "createAuthorizer",
      "createClient",
      "createExchange",
      "createFetchSend",
      "createMemoryAuthStore",
      "createRequestBuilder",
      "createResponseCache",
      "createVerdictMemory",
      "decideHttp",
      "decideStdio",
      "enterpriseManaged",
      "fillDefaults",
      "isAuthorizationError",
      "isInputRequired",
      "isMcpError",
      "isProtocolHeader",
      "isTaskResult",
      "isTransportError",
      "readAnswers",
      "withAuthorization",
      "workloadIdentity",
    ]
  `);
});

test("a client says the version of this package", () => {
  const { name, version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(defaultClientInfo).toEqual({ name, version });
});
