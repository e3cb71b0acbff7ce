// Masked texts that are remembered.
import { expect, it, vi } from "vitest";
import { rememberTexts } from "./repeated-texts.ts";

const mask = () => vi.fn((text: string) => text.replace("secret", "***"));

it("masks a text once, however often it is read", () => {
  const masking = mask();
  const read = rememberTexts(masking);
  expect(["a secret", "a secret", "none"].map(read)).toEqual(["a ***", "a ***", "none"]);
  expect(masking).toHaveBeenCalledTimes(2);
});

it("remembers texts that are read again, and forgets others beyond the limit", () => {
  const masking = mask();
  const read = rememberTexts(masking);
  for (let count = 0; count < 20_000; count += 1) {
    read(`text ${count}`);
    if (count % 1_000 === 0) read("the address of an upstream");
  }
  expect(masking).toHaveBeenCalledTimes(20_001);
  read("text 0");
  expect(masking).toHaveBeenCalledTimes(20_002);
});

it("remembers no long text", () => {
  const masking = mask();
  const read = rememberTexts(masking);
  const long = "x".repeat(600);
  expect([read(long), read(long)]).toEqual([long, long]);
  expect(masking).toHaveBeenCalledTimes(2);
});
