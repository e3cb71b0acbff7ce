// Prompts: texts that a user selects, with arguments that the client can complete.
import { createServer, embedded, text } from "@lethe/server";
import { z } from "zod";
import { serveWhenMain } from "./serve-when-main.ts";

const languages = ["javascript", "python", "rust", "typescript"];

export const server = createServer({ name: "prompts", version: "1.0.0" });

server.prompt("review", {
  title: "Review code",
  description: "Ask for a review of some code",
  argsSchema: z.object({
    code: z.string().describe("What to review"),
    language: z.enum(languages).describe("The language that it is in"),
    depth: z.enum(["quick", "thorough"]).optional(),
  }),
  complete: { language: (value) => languages.filter((language) => language.startsWith(value)) },
  handler: ({ code, language, depth = "quick" }) => [
    { role: "user", content: text(`Please give me a ${depth} review of this ${language} code.`) },
    { role: "user", content: embedded("file:///code", code, { mimeType: "text/plain" }) },
  ],
});

// A single user message may be a plain string.
server.prompt("greet", {
  description: "Say hello",
  argsSchema: z.object({ name: z.string() }),
  handler: ({ name }) => `Please greet ${name} warmly.`,
});

await serveWhenMain(server, import.meta.url);
