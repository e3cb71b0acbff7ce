import { McpError } from "@lethe/protocol";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { readPages } from "./read-pages.ts";

type Page = { items: string[]; nextCursor?: unknown };

async function read(answer: (cursor: string | undefined) => Page | Error, restart: () => void = () => {}) {
  const items: string[] = [];
  const source = {
    what: "tools/list to s",
    keyOf: (item: string) => item,
    async read(cursor: string | undefined) {
      const page = answer(cursor);
      if (page instanceof Error) throw page;
      return { items: page.items, nextCursor: page.nextCursor };
    },
    restart,
  };
  for await (const item of readPages(source)) items.push(item);
  return items;
}

test('"" is a cursor, and only its absence is the end (E-45)', async () => {
  const pages = new Map<string | undefined, Page>([
    [undefined, { items: ["a"], nextCursor: "" }],
    ["", { items: ["b"], nextCursor: "0" }],
    ["0", { items: [], nextCursor: "x" }],
    ["x", { items: ["c"], nextCursor: null }],
  ]);
  expect(await read((cursor) => pages.get(cursor) as Page)).toEqual(["a", "b", "c"]);
});

test("a repeated cursor is reported as an endless list", async () => {
  await expect(read(() => ({ items: [], nextCursor: "again" }))).rejects.toMatchObject({ reason: "invalid" });
});

test("a list with endless new cursors is abandoned", async () => {
  let page = 0;
  const endless = () => ({ items: [], nextCursor: String(page++) });
  await expect(read(endless)).rejects.toMatchObject({
    reason: "too_large",
    message: expect.stringContaining("tools/list"),
  });
});

test("after a rejected cursor the list is read once more from the beginning, and each item is yielded once (E-55)", async () => {
  const restart = vi.fn();
  let refusals = 1;
  const items = await read((cursor) => {
    if (cursor === undefined) return { items: ["a", "b"], nextCursor: "2" };
    if (refusals-- > 0) return new McpError(-32602, "invalid cursor");
    return { items: ["b", "c"] };
  }, restart);
  expect(items).toEqual(["a", "b", "c"]);
  expect(restart).toHaveBeenCalledOnce();
});

test("a cursor that is rejected twice is an error, and so is any other failure", async () => {
  const first = { items: [], nextCursor: "2" };
  const refused = new McpError(-32602, "invalid cursor");
  await expect(read((cursor) => (cursor === undefined ? first : refused))).rejects.toBe(refused);
  const broken = new McpError(-32603, "internal error");
  await expect(read((cursor) => (cursor === undefined ? first : broken))).rejects.toBe(broken);
  await expect(read(() => refused)).rejects.toBe(refused);
});

test("every way of splitting a list into pages yields the same list", async () => {
  const lists = fc.array(fc.uniqueArray(fc.nat(50).map(String)), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(lists, async (pages) => {
      const answer = (cursor: string | undefined) => {
        const index = cursor === undefined ? 0 : Number(cursor);
        const items = pages[index] ?? [];
        return index + 1 < pages.length ? { items, nextCursor: String(index + 1) } : { items };
      };
      expect(await read(answer)).toEqual([...new Set(pages.flat())]);
    }),
  );
});
