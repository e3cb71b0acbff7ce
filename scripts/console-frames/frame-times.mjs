// The work of each frame of a page, from a trace of Chromium: processor time of scripts, styles, layout and paint on the main thread.

export const categories = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"];

/** Returns the processor time of each frame in ms, and that of its parts in all. Time that other programs took is not in it. */
export function toFrameTimes(trace) {
  const events = JSON.parse(trace).traceEvents;
  const main = mainThreadOf(events);
  const own = events.filter(({ pid, tid, ph }) => pid === main.pid && tid === main.tid && ph === "X");
  const inOrder = (name) => own.filter((event) => event.name === name).toSorted((one, other) => one.ts - other.ts);
  // A frame ends with the task that hands it to the compositor.
  const commits = inOrder("Commit").map(({ ts }) => ts);
  const frames = [];
  let work = 0;
  for (const { ts, dur, tdur = dur } of inOrder("RunTask")) {
    work += tdur / 1_000;
    const count = commits.findIndex((commit) => commit >= ts + dur);
    const drawn = count === -1 ? commits.length : count;
    commits.splice(0, drawn);
    if (drawn === 0) continue;
    frames.push(work);
    work = 0;
  }
  return { frames, parts: toParts(own) };
}

const partNames = {
  script: ["FunctionCall", "EvaluateScript", "FireAnimationFrame", "TimerFire", "RunMicrotasks"],
  style: ["UpdateLayoutTree"],
  layout: ["Layout"],
  paint: ["PrePaint", "Paint", "Layerize", "Commit"],
};

function toParts(events) {
  const total = (names) =>
    events.filter(({ name }) => names.includes(name)).reduce((sum, { tdur, dur }) => sum + (tdur ?? dur), 0) / 1_000;
  return Object.fromEntries(Object.entries(partNames).map(([part, names]) => [part, total(names)]));
}

/** The main thread of the renderer that drew most. */
function mainThreadOf(events) {
  const threads = events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const countOf = ({ pid, tid }) => events.filter((event) => event.pid === pid && event.tid === tid).length;
  return threads.toSorted((one, other) => countOf(other) - countOf(one))[0];
}
