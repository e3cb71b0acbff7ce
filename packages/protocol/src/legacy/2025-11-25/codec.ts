// 2025-11-25: today's features over a session, without what today's results say about themselves (D.4/7).
import { method } from "../../model/method.ts";
import type { RevisionCodec } from "../revision-codec.ts";
import { toLegacyCapabilities, toModernCapabilities } from "./capabilities.ts";
import { fromLegacyAnswer, toLegacyQuestion } from "./question.ts";
import { toLegacyResult } from "./result.ts";
import { withExecution, withTasks } from "./tasks.ts";

export const codec: RevisionCodec = {
  revision: "2025-11-25",
  hasBatches: false,
  hasFirstEventId: true,
  hasTasks: true,
  toModernCapabilities,
  toLegacyCapabilities: (served) => withTasks(toLegacyCapabilities(served), served),
  toLegacyResult(calledMethod, result) {
    const legacy = toLegacyResult(calledMethod, result);
    return calledMethod === method.listTools ? withExecution(legacy) : legacy;
  },
  toLegacyQuestion,
  fromLegacyAnswer,
  toLegacyNotification: (notification) => notification,
};
