// Event streams of the administration, as consoles open them.
import { once } from "node:events";
import { request } from "node:http";

/** Resolves when all of them have begun. */
export async function openStreams(port, count) {
  let exchanges = 0;
  const open = await Promise.all(
    Array.from({ length: count }, async () => {
      const sent = request({ host: "127.0.0.1", port, path: "/admin/v1/events", agent: false });
      sent.end();
      const [response] = await once(sent, "response");
      if (response.statusCode !== 200) throw new Error(`the event stream was answered with ${response.statusCode}`);
      response.setEncoding("utf8").on("data", (text) => {
        exchanges += text.split("event: exchange\n").length - 1;
      });
      response.on("error", () => {});
      return sent;
    }),
  );
  return {
    received: () => ({ exchanges: exchanges / count }),
    async close() {
      for (const sent of open) sent.destroy();
    },
  };
}
