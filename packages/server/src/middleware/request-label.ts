// What logs, spans and metrics call a request: its method and what it is about, of bounded length. Never arguments.
import { type ModernRequest, publicTargetOf } from "@lethe/protocol";

const maxLength = 256;

export function methodLabelOf(request: ModernRequest): string {
  return bounded(request.method);
}

export function idLabelOf(request: ModernRequest): string {
  return bounded(String(request.id));
}

/** The tool, prompt or resource. Not a task: where callers have no identity, its id is the only thing that protects it. */
export function targetLabelOf({ method: name, params }: ModernRequest): string | undefined {
  return bounded(publicTargetOf(name, params));
}

function bounded(value: string): string;
function bounded(value: unknown): string | undefined;
function bounded(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return value.length > maxLength ? `${value.slice(0, maxLength)}...` : value;
}
