// Prompts with and without arguments, with text, an image and a resource.
import { embedded, image, type Server, text } from "@lethe/server";
import { z } from "zod";
import { png } from "./media.ts";

export function definePrompts(server: Server): void {
  server.prompt("test_simple_prompt", {
    description: "A prompt without arguments",
    handler: () => "This is a simple prompt for testing.",
  });
  server.prompt("test_prompt_with_arguments", {
    description: "A prompt with two arguments",
    argsSchema: z.object({ arg1: z.string().describe("First"), arg2: z.string().describe("Second") }),
    complete: { arg1: (value) => ["test", "testing", "tested"].filter((word) => word.startsWith(value)) },
    handler: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  });
  server.prompt("test_prompt_with_embedded_resource", {
    description: "A prompt that contains a resource",
    argsSchema: z.object({ resourceUri: z.string().describe("URI of the resource") }),
    handler: ({ resourceUri }) => [
      { role: "user", content: embedded(resourceUri, "Embedded resource content.", { mimeType: "text/plain" }) },
      { role: "user", content: text("Please process the embedded resource above.") },
    ],
  });
  server.prompt("test_prompt_with_image", {
    description: "A prompt that contains an image",
    handler: () => [
      { role: "user", content: image(png, "image/png") },
      { role: "user", content: text("Please look at the image above.") },
    ],
  });
}
