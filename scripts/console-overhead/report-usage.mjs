// Answers each message of the parent process with the processor time of this one. Loaded with --import.
process.on("message", () => process.send?.(process.cpuUsage()));
process.channel?.unref();
