// A tool that requests input from the user while it runs. The handler runs again from the top for each answer, with the earlier
// answers at hand, so no process has to wait: put effects after the last request, or into ctx.once.
import { createServer, type Server } from "@lethe/server";
import { z } from "zod";

const booking = z.object({
  name: z.string().min(1).describe("The name for the booking"),
  seating: z.enum(["inside", "outside"]).describe("Where to sit"),
});
const confirmation = z.object({
  confirmed: z.boolean().describe("Groups of more than 8 people pay in advance. Agreed?"),
});

export function createBookingServer(): Server {
  const server = createServer(
    { name: "__name__", version: "0.1.0" },
    // Processes that serve the same clients need the same keys. Without keys, each process creates its own.
    { keys: process.env.LETHE_KEYS },
  );

  server.tool("book_table", {
    description: "Book a table in the restaurant",
    inputSchema: z.object({ people: z.int().min(1).max(20).describe("The number of guests") }),
    async handler({ people }, ctx) {
      const { name, seating } = await ctx.elicit(`A table for ${people}`, booking);
      if (people > 8) {
        const { confirmed } = await ctx.elicit("A large group", confirmation);
        if (!confirmed) return "Nothing was booked.";
      }
      return `Booked a table for ${people} ${seating}, for ${name}.`;
    },
  });

  return server;
}
