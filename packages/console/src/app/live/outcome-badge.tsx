// How a request ended.
import { Badge, type Tone } from "../parts/badge.tsx";

const outcomes: Readonly<Record<string, readonly [Tone, string]>> = {
  complete: ["ok", "complete"],
  input_required: ["info", "asks for input"],
  task: ["info", "task"],
  tool_error: ["bad", "tool error"],
  rejected: ["bad", "rejected"],
  error: ["bad", "error"],
};

export function OutcomeBadge({ outcome, code }: { outcome: string; code?: number | undefined }) {
  const [tone, word] = outcomes[outcome] ?? (["neutral", outcome] as const);
  return (
    <Badge tone={tone}>
      {word}
      {code !== undefined && ` ${code}`}
    </Badge>
  );
}
