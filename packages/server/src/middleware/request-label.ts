// The name of a request in logs, spans and metrics: its method and target, with limited length, without arguments.
import { type ModernRequest, publicTargetOf } from "@lethe/protocol";

const maxLength = 256;

export function methodLabelOf(request: ModernRequest): string {
  return bounded(request.method);
}

export function idLabelOf(request: ModernRequest): string {
  return bounded(String(request.id));
}

/** The tool, prompt or resource. Not a task: without authentication, its id is a secret. */
export function targetLabelOf({ method: name, params }: ModernRequest): string | undefined {
  return bounded(publicTargetOf(name, params));
}

function bounded(value: string): string;
function bounded(value: unknown): string | undefined;
function bounded(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return value.length > maxLength ? `${value.slice(0, maxLength)}...` : value;
}
