// A vitest reporter that writes what failed to a JSON file: failed tests, files that could not run, and errors outside of tests.
// The file is named by the environment variable LETHE_FAILURES.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";

/** The maximum length of one message, in characters. */
const maxMessageLength = 2_000;

export default class FailuresReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const failures = [...modules.flatMap(failuresOf), ...unhandledErrors.map(toUnhandled)];
    writeFileSync(process.env.LETHE_FAILURES, JSON.stringify(failures));
  }
}

function failuresOf(module) {
  const file = module.relativeModuleId;
  const suites = [module, ...module.children.allSuites()];
  const broken = suites.flatMap((suite) =>
    suite.errors().map((error) => ({ file, name: suite.fullName ?? "the file itself", message: messageOf(error) })),
  );
  const failed = [...module.children.allTests("failed")].map((test) => ({
    file,
    name: test.fullName,
    isTest: true,
    message: messageOf(test.result().errors.at(-1)),
  }));
  return [...broken, ...failed];
}

function toUnhandled(error) {
  const file = error.VITEST_TEST_PATH && relative(process.cwd(), error.VITEST_TEST_PATH);
  return { file, name: "an error outside of the tests", message: messageOf(error) };
}

/** The message and the places in the project's own code. */
function messageOf(error) {
  const lines = String(error.stack ?? error.message).split("\n");
  const own = lines.filter((line) => !/^\s+at .*(node_modules|node:)/.test(line));
  return own.join("\n").slice(0, maxMessageLength);
}
