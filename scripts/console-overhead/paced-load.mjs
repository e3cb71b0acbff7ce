// HTTP load of a fixed rate: requests begin at even intervals, whether earlier ones have ended or not.
import { openSocket, readResponses } from "../../bench/dist/load/socket.js";

/** Rejects on the first status outside 200-299. */
export async function runPacedLoad({ port, requests, connections, seconds, perMinute }) {
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)));
  const idle = [...sockets];
  const total = Math.round((perMinute / 60) * seconds);
  const started = performance.now();
  let [sent, done, due] = [0, 0, 0];
  try {
    await new Promise((resolve, reject) => {
      const end = (socket) => (status) => {
        if (status < 200 || status > 299) return reject(new Error(`answered ${status} under load`));
        idle.push(socket);
        done += 1;
        if (done === total) resolve();
      };
      for (const socket of sockets) readResponses(socket, { end: end(socket) }, reject);
      const timer = setInterval(() => {
        due = Math.min(total, ((performance.now() - started) / 1_000) * (perMinute / 60));
        while (sent + 1 <= due && idle.length > 0) {
          idle.pop().write(requests[sent % requests.length]);
          sent += 1;
        }
        if (sent === total) clearInterval(timer);
      }, 2);
    });
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return { count: done, seconds: (performance.now() - started) / 1_000 };
}
