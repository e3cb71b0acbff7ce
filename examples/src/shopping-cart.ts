// State that lives from call to call: a cart in any of several processes, with or without a store.
import { createServer, type Server, type ServerOptions, session, ToolError } from "@lethe/server";
import { z } from "zod";
import { serveWhenMain } from "./serve-when-main.ts";

const items = z.array(z.object({ name: z.string(), count: z.int().positive() }));
const cart = session("cart", { schema: z.object({ items }), initial: { items: [] } });

/** The options name a store, if there is one. Without a store, the handle of the cart contains the cart. */
export function createShop(options: ServerOptions = {}): Server {
  const server = createServer({ name: "shop", version: "1.0.0" }, options);

  server.tool("add_to_cart", {
    description: "Add an article to the cart",
    inputSchema: z.object({ name: z.string().max(40), count: z.int().min(1).max(99).default(1) }),
    sessions: [cart],
    async handler(item, ctx) {
      const opened = await ctx.session(cart);
      const { items } = await opened.update((current) => ({ items: [...current.items, item] }));
      return `The cart contains ${items.map(({ name, count }) => `${count} × ${name}`).join(", ")}.`;
    },
  });

  server.tool("check_out", {
    description: "Buy what is in the cart",
    sessions: [cart],
    async handler(_, ctx) {
      const opened = await ctx.session(cart);
      const count = opened.value.items.reduce((sum, item) => sum + item.count, 0);
      if (count === 0) throw new ToolError("The cart is empty.");
      const { confirm } = await ctx.elicit(`Buy ${count} articles?`, z.object({ confirm: z.boolean() }));
      if (!confirm) return "Nothing was bought.";
      opened.end();
      return `Bought ${count} articles.`;
    },
  });
  return server;
}

await serveWhenMain(createShop(), import.meta.url);
