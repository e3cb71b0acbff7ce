import { expect, test } from "vitest";
import { createPublicFetch, lookupPublic } from "./public-fetch.ts";

const publicFetch = createPublicFetch();

test("only https is fetched, and no address of this machine or network in any notation (G-51)", async () => {
  await expect(publicFetch("http://8.8.8.8/", {})).rejects.toThrow(/only https/);
  for (const host of ["127.0.0.1", "[::1]", "169.254.169.254", "0x7f.1", "2130706433", "[::ffff:10.0.0.1]"]) {
    await expect(publicFetch(`https://${host}/`, {})).rejects.toThrow(/not public/);
  }
});

test("a name is checked by its addresses when the connection is opened", async () => {
  await expect(publicFetch("https://localhost/", {})).rejects.toThrow("localhost has an address that is not public");
  for (const all of [true, false]) {
    const error = await new Promise((resolve) => lookupPublic("localhost", { all }, resolve));
    expect(error).toMatchObject({ message: expect.stringMatching(/not public/) });
  }
});

test("a public address is returned in the requested form", async () => {
  const all = await new Promise((resolve) =>
    lookupPublic("8.8.8.8", { all: true }, (_, addresses) => resolve(addresses)),
  );
  expect(all).toEqual([{ address: "8.8.8.8", family: 4 }]);
  const one = await new Promise((resolve) => lookupPublic("8.8.8.8", {}, (...answer) => resolve(answer)));
  expect(one).toEqual([null, "8.8.8.8", 4]);
});
