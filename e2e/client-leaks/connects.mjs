// node --expose-gc connects.mjs PEER COUNT: connects, calls and closes, over and over, and prints what is left of it.
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
  // Whoever leaves without a word leaves no less behind.
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

/** What keeps this process alive, once what is closing is closed: two seconds at most, or as soon as it is `wanted`. */
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
// What loading leaves to be closed is closed soon.
await heapBytes();
const resourcesBefore = String(process.getActiveResourcesInfo().sort());
// What is loaded late and compiled late is there after a while.
await visitTimes(kind === "stdio" ? 20 : 300);
const heapBefore = await heapBytes();
await visitTimes(count);
const resourcesAfter = await settledResources(resourcesBefore);
const heapGrowth = (await heapBytes()) - heapBefore;
await close();
console.log(JSON.stringify({ resourcesBefore, resourcesAfter, heapGrowth }));
