import fc from "fast-check";
import { expect, it } from "vitest";
import { toForeignId } from "./foreign-id.ts";

it("a made-up id has the form of the issued one and differs from it", () => {
  const ids = fc.string({ unit: fc.constantFrom(..."abcXYZ019-_.:"), minLength: 12, maxLength: 60 });
  fc.assert(
    fc.property(
      ids.filter((id) => /[A-Za-z0-9]{4}$/.test(id)),
      (id) => {
        const foreign = toForeignId(id);
        expect(foreign).not.toBe(id);
        expect(foreign).toHaveLength(id.length);
        expect(foreign.replace(/[a-z]/g, "a").replace(/[A-Z]/g, "A").replace(/\d/g, "0")).toBe(
          id.replace(/[a-z]/g, "a").replace(/[A-Z]/g, "A").replace(/\d/g, "0"),
        );
      },
    ),
  );
});

it.each([
  [
    "a UUID stays one of version 4",
    "1d391986-033b-460d-8c55-3728588bae3f",
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/,
  ],
  ["words before it are kept", "mcp-session-1d391986-033b-460d-8c55-3728588bae3f", /^mcp-session-[0-9a-f]{8}-/],
  ["hexadecimal digits stay such", "0f1e2d3c4b5a69788796a5b4c3d2e1f0", /^[0-9a-f]{32}$/],
  ["words before other ids are kept too", "session_AbC123xyz789", /^session_[A-Z][a-z][A-Z]\d{3}[a-z]{3}\d{3}$/],
])("%s", (_, id, form) => {
  expect(toForeignId(id)).toMatch(form);
});

it("a made-up id is a UUID if the server issued none", () => {
  expect(toForeignId(undefined)).toMatch(/^[0-9a-f-]{36}$/);
});
