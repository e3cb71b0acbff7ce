// node --expose-gc connects.mjs PEER COUNT: repeatedly connects, calls and closes, and prints the resources that remain.
import { connect } from "@lethe/client/node";
import { peers } from "./peers.mjs";

const [kind, count] = [process.argv[2], Number(process.argv[3])];
const atOnce = kind === "stdio" ? 4 : 8;
const { target, close } = await peers[kind]();

async function visit(index) {
  if (kind === "refused") {
    const error = await connect(target).catch((thrown) => thrown);
    if (error.reason !== "unreachable") throw error;
    return;
  }
  const client = await connect(target);
  // A client that disconnects without closing leaks nothing either.
  if (index % 4 === 0) client.callTool("hello").catch(() => {});
  else await client.callTool("hello");
  if (index % 10 === 0 && kind !== "stdio") {
    const subscription = await client.subscribe({ toolsListChanged: true }, () => {});
    if (index % 20 === 0) await subscription.close();
  }
  await client.close();
}

async function visitTimes(times) {
  let next = 0;
  const visitor = async () => {
    while (next < times) await visit(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, visitor));
}

/** The handles that keep this process alive after closing handles have closed: waits at most 2 s, or until it is `wanted`. */
async function settledResources(wanted) {
  for (let attempt = 0; ; attempt++) {
    const left = String(process.getActiveResourcesInfo().sort());
    if (left === wanted || attempt === 100) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function heapBytes() {
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

// Made when they are first used.
void [process.stdout, process.stderr];
// Handles that loading leaves open close soon.
await heapBytes();
const resourcesBefore = String(process.getActiveResourcesInfo().sort());
// After some rounds, lazily loaded and compiled code is in memory.
await visitTimes(kind === "stdio" ? 20 : 300);
// A leak shows in each half, and code that is compiled late in one of them.
const heaps = [await heapBytes()];
let resourcesAfter;
for (const half of [1, 2]) {
  await visitTimes(count / 2);
  resourcesAfter = await settledResources(resourcesBefore);
  heaps[half] = await heapBytes();
}
const heapGrowth = Math.min(heaps[1] - heaps[0], heaps[2] - heaps[1]);
await close();
console.log(JSON.stringify({ resourcesBefore, resourcesAfter, heapGrowth }));
