// The raw interaction example, asked over its fetch handler.
import { describe, expect, it } from "vitest";
import { server } from "./raw-interaction.ts";
import { createWireClient } from "./testing/wire-client.ts";

const client = createWireClient(server.fetch);

function guesser(guesses: number[]): { messages: string[]; guess: (key: string, question: object) => object } {
  const messages: string[] = [];
  return {
    messages,
    guess(_, question) {
      messages.push((question as { params: { message: string } }).params.message);
      return { action: "accept", content: { number: guesses.shift() } };
    },
  };
}

describe("raw interaction", () => {
  it("the guessing game elicits until the guess is correct, and counts the guesses in its state (E-21)", async () => {
    const { messages, guess } = guesser([50, 75, 60]);
    const { result } = await client.converse("guess_number", { hidden: 60 }, guess);
    expect(messages).toEqual(["Guess a number from 1 to 100", "Higher!", "Lower!"]);
    expect(result?.content).toMatchObject([{ text: "Found after 3 tries." }]);
  });

  it("a declined elicitation ends the guessing game (E-29)", async () => {
    const { result } = await client.converse("guess_number", { hidden: 60 }, () => ({ action: "decline" }));
    expect(result?.content).toMatchObject([{ text: "The user gave up after 0 tries." }]);
  });

  it("a requestState of another call is rejected (E-28)", async () => {
    const { requestState } = (await client.callTool("guess_number", { hidden: 1 })).result ?? {};
    const inputResponses = { guess: { action: "accept", content: { number: 2 } } };
    const { error } = await client.callTool("guess_number", { hidden: 2 }, { inputResponses, requestState });
    expect(error?.code).toBe(-32602);
  });
});
