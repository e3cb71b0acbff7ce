// An invented revision, defined like a folder of the protocol package: its differences from the previous revision.
import { revision as newer } from "../../../packages/protocol/src/revisions/2026-07-28/revision.ts";
import type { Revision } from "../../../packages/protocol/src/revisions/revision.ts";
import { fromServerError, toClientError } from "./error.ts";
import { fromClientParams, toServerParams } from "./request.ts";
import { fromServerResult, toClientResult } from "./result.ts";

export const revision: Revision = {
  ...newer,
  name: "2027-01-01",
  fromClientParams,
  toServerParams,
  toClientResult,
  fromServerResult,
  toClientError,
  fromServerError,
};
