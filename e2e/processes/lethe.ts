// Starts the built `lethe` command as its own process, as a user does.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { recordingEnvironment } from "../wire/testing/recorded-children.ts";
import { ownState } from "./testing/own-state.ts";

/** The built command. */
export const main: string = fileURLToPath(new URL("../../packages/cli/bin/lethe.js", import.meta.url));
export const root: string = fileURLToPath(new URL("../..", import.meta.url));

export interface Output {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. */
export function runLethe(...args: string[]): Promise<Output> {
  return runLetheWith({}, ...args);
}

/** The same with more environment. */
export async function runLetheWith(env: Record<string, string>, ...args: string[]): Promise<Output> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...ownState, ...env },
  });
  const output = collect(child);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...output };
}

export interface RunningGateway {
  url: string;
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  /** Sends the signal and waits until the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export function startGateway(config: string, ...args: string[]): Promise<RunningGateway> {
  return startListening(["gateway", "--config", config, "--port", "0", ...args]);
}

/** The same with further environment variables, on the port of the configuration or of `args`. */
export function startGatewayWith(
  env: Record<string, string>,
  config: string,
  ...args: string[]
): Promise<RunningGateway> {
  return startListening(["gateway", "--config", config, ...args], env);
}

export function startWrap(...args: string[]): Promise<RunningGateway> {
  return startWrapWith({}, ...args);
}

/** The same with more environment. */
export function startWrapWith(env: Record<string, string>, ...args: string[]): Promise<RunningGateway> {
  return startListening(["wrap", "--port", "0", ...args], env);
}

/** Resolves when the command has printed where it listens; rejects with its stderr when it ends before. */
async function startListening(args: string[], more: Record<string, string> = {}): Promise<RunningGateway> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...ownState, ...recordingEnvironment(), ...more },
  });
  const output = collect(child);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", () => {
      const found = output.stdout.match(/Listening on (\S+)/)?.[1];
      if (found) resolve(found);
    });
    child.on("close", () => reject(new Error(`the gateway ended before it listened:\n${output.stderr}`)));
  });
  return {
    url,
    child,
    output,
    async stop(signal = "SIGTERM") {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const closed = once(child, "close") as Promise<[number | null]>;
      child.kill(signal);
      return (await closed)[0];
    },
  };
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  return output;
}
