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

/** What keeps a process alive, once what is closing is closed. */
async function settledResources(wanted) {
  for (let attempt = 0; ; attempt++) {
    const left = process
      .getActiveResourcesInfo()
      .filter((name) => name !== "Timeout")
      .sort();
    if (
      attempt === 100 ||
      (wanted ? String(left) === wanted : !left.some((name) => name === "TCPSocketWrap" || name === "ProcessWrap"))
    )
      return String(left);
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

// What is loaded late and compiled late is there after a while.
await visitTimes(kind === "stdio" ? 20 : 300);
const resourcesBefore = await settledResources();
const timersBefore = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
const heapBefore = await heapBytes();
await visitTimes(count);
const resourcesAfter = await settledResources(resourcesBefore);
const timersAfter = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
const heapAfter = await heapBytes();
await close();
const heapGrowth = heapAfter - heapBefore;
console.log(JSON.stringify({ resourcesBefore, resourcesAfter, timersBefore, timersAfter, heapGrowth }));
