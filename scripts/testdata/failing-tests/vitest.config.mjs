// A project whose tests fail in every way that failures-reporter.mjs lists.
export default { test: { include: ["*.case.ts"] } };
