// 2025-06-18: forms with single fields only, sampling without tools, and no tasks.
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
  name: "2025-06-18",
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
