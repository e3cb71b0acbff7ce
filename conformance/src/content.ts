// Tools that return each kind of content.
import { audio, embedded, image, type Server, text } from "@lethe/server";
import { png, wav } from "./media.ts";

export function defineContentTools(server: Server): void {
  server.tool("test_simple_text", {
    description: "Answers with text",
    handler: () => "This is a simple text response for testing.",
  });
  server.tool("test_image_content", {
    description: "Answers with an image",
    handler: () => image(png, "image/png"),
  });
  server.tool("test_audio_content", {
    description: "Answers with audio",
    handler: () => audio(wav, "audio/wav"),
  });
  server.tool("test_embedded_resource", {
    description: "Answers with an embedded resource",
    handler: () =>
      embedded("test://embedded-resource", "This is an embedded resource content.", { mimeType: "text/plain" }),
  });
  server.tool("test_multiple_content_types", {
    description: "Answers with text, an image and an embedded resource",
    handler: () => [
      text("Multiple content types test:"),
      image(png, "image/png"),
      embedded("test://mixed-content-resource", JSON.stringify({ test: "data", value: 123 }), {
        mimeType: "application/json",
      }),
    ],
  });
}
