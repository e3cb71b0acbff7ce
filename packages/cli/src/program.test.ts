// Properties of all commands.
import { expect, it } from "vitest";
import { toCommandTable } from "./completion/command-table.ts";
import { createProgram } from "./program.ts";

/** Commands that print no result of their own. All others print it as JSON, too. */
const withoutJson: Readonly<Record<string, string>> = {
  "": "prints help",
  bridge: "stdout is a connection",
  completion: "prints a script",
  console: "serves until it is stopped",
  dev: "serves until it is stopped",
  gateway: "serves until it is stopped",
  "gateway schema": "prints JSON only",
  replay: "stdout is a connection",
  wrap: "serves until it is stopped",
};

it("each command that prints a result has --json", () => {
  const table = toCommandTable(createProgram());
  const without = table.filter(({ options }) => !options.some(({ flags }) => flags.includes("--json")));
  expect(without.map(({ path }) => path).sort()).toEqual(Object.keys(withoutJson).sort());
});

it("the help of each command ends with its exit codes, each of them once", () => {
  for (const command of createProgram().commands.flatMap((one) => [one, ...one.commands])) {
    const page: string[] = [];
    command.configureOutput({ writeOut: (text) => page.push(text) }).outputHelp();
    expect(page.join(""), command.name()).toMatch(/\nExit codes.*:\n( +\d+ {2}.+\n?)+\n?$/);
    const codes = [...page.join("").matchAll(/^ +(\d+) {2}/gm)].map(([, code]) => code);
    expect(codes, command.name()).toEqual([...new Set(codes)]);
  }
});
