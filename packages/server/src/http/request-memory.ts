// The memory of a request beyond its text: what a large text takes once parsed, and what the names of a subscription take while its
// stream is open.
import { type ModernRequest, measureJson, smallBytes } from "@lethe/protocol";
import { toErrorAnswer } from "./answers.ts";
import type { HttpCall } from "./http-call.ts";
import { toMemoryRefusal } from "./refusals.ts";

/** What one name of a subscription takes besides its characters, in bytes: entries of indexes here and in a gateway. */
const bytesPerName = 256;
/** A name is kept in the filter and in its topic. */
const copiesPerName = 2;

/** A text may take twenty times its size once parsed, and stays in memory as long as the request runs. */
export function holdParsed(call: HttpCall, text: string): boolean {
  return hold(call, text.length + measureJson(text).parsedBytes);
}

/** A short text may have many short names. */
export function holdNames(call: HttpCall, request: ModernRequest): boolean {
  const bytes = bytesOfNames(request);
  return bytes < smallBytes || hold(call, call.usage.heldBytes + bytes);
}

/** Answers the request and returns false if neither the process nor the party of the request has room for it. */
function hold(call: HttpCall, bytes: number): boolean {
  const { memory } = call.edge.settings;
  if (bytes <= memory.hardBytes && !call.usage.takeShare(bytes)) return false;
  if (call.usage.holdRequest(bytes)) return true;
  if (bytes > memory.hardBytes) call.answer(toMemoryRefusal(bytes, memory.hardBytes));
  else call.answer(toErrorAnswer(memory.refuse(), call.id));
  return false;
}

/** Reads what may not be valid yet. */
function bytesOfNames({ params }: ModernRequest): number {
  const { resourceSubscriptions, taskIds } = Object(params.notifications);
  let bytes = 0;
  for (const names of [resourceSubscriptions, taskIds]) {
    if (!Array.isArray(names)) continue;
    for (const name of names) if (typeof name === "string") bytes += bytesPerName + copiesPerName * name.length;
  }
  return bytes;
}
