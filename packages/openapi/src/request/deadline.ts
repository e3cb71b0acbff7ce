// Limits the time of a call.
import { ToolError } from "@lethe/server";

/** Runs `run` with a signal that is aborted with `signal` or after `timeoutMs`. Then rejects with ToolError. */
export async function withDeadline<T>(
  signal: AbortSignal,
  timeoutMs: number,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  const late = new ToolError(`the API did not answer within ${timeoutMs / 1_000} s; the request may have taken effect`);
  const timer = setTimeout(() => controller.abort(late), timeoutMs);
  try {
    return await run(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
