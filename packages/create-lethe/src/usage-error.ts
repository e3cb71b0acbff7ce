// Errors whose messages are printed without a stack trace.

/** The command line, or the folder that it names, is invalid. Exit code 1. */
export class UsageError extends Error {}

/** The project exists, but its packages could not be installed. Exit code 2. */
export class InstallError extends Error {}
