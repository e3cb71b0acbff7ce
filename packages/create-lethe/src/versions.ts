// The exact versions that a created project depends on. A test compares them with those of this repository.

export const versions = {
  lethe: "0.1.0",
  zod: "4.6.7",
  typescript: "7.0.2",
  "@types/node": "20.19.43",
} as const;
