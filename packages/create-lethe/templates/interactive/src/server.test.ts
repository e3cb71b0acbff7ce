// Calls the server in memory: without a port, and over the same protocol as a real client.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accept, decline, testClient } from "@lethe/server/testing";
import { createBookingServer } from "./server.ts";

const form = { name: "Ada", seating: "outside" };

test("book_table requests the name and the seating", async () => {
  await using client = await testClient(createBookingServer(), { answers: [accept(form)] });
  const { content } = await client.callTool("book_table", { people: 4 });
  assert.deepEqual(content, [{ type: "text", text: "Booked a table for 4 outside, for Ada." }]);
});

test("book_table requests a confirmation for a large group", async () => {
  const answers = [accept(form), accept({ confirmed: false })];
  await using client = await testClient(createBookingServer(), { answers });
  const { content } = await client.callTool("book_table", { people: 12 });
  assert.deepEqual(
    client.questions.map(({ message }) => message),
    ["A table for 12", "A large group"],
  );
  assert.deepEqual(content, [{ type: "text", text: "Nothing was booked." }]);
});

test("book_table ends without a booking if the user declines", async () => {
  await using client = await testClient(createBookingServer(), { answers: [decline()] });
  const { isError } = await client.callTool("book_table", { people: 2 });
  assert.equal(isError, true);
});
