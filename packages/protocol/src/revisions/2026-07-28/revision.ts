// 2026-07-28: no handshake. The messages of the model are those of this revision.
import type { Revision } from "../revision.ts";
import { readClientCapabilities, readServerCapabilities, writeServerCapabilities } from "./capabilities.ts";
import { fromServerError, toClientError, urlInputRequestsOf } from "./error.ts";
import { fromClientInputResponse, fromServerInputRequest, toClientInputRequest } from "./input-request.ts";
import { fromServerNotification, toClientNotification } from "./notification.ts";
import { fromClientParams, toServerParams } from "./request.ts";
import { fromServerResult, toClientResult } from "./result.ts";
import { fromServerTask, toClientTask } from "./tasks.ts";
import { traits } from "./traits.ts";

export const revision: Revision = {
  name: "2026-07-28",
  traits,
  readClientCapabilities,
  readServerCapabilities,
  writeServerCapabilities,
  fromClientParams,
  toServerParams,
  toClientResult,
  fromServerResult,
  toClientError,
  fromServerError,
  toClientInputRequest,
  fromClientInputResponse,
  fromServerInputRequest,
  urlInputRequestsOf,
  toClientTask,
  fromServerTask,
  toClientNotification,
  fromServerNotification,
};
