// Loads a bundle in a process of its own.
import type { Handlers } from "../channel/channel.ts";
import type { CallNotification, HandlerError, LoadedServer, LoadRequest } from "../channel/runner-messages.ts";
import { LoadedCode } from "./loaded-code.ts";
import { isExitError, type RunnerProcess } from "./runner-process.ts";

export interface LoadCodeOptions {
  readonly process: RunnerProcess;
  readonly request: LoadRequest;
  /** Abandons code that has not loaded yet. */
  readonly signal: AbortSignal;
  /** Answered by the command: `url`, and operations of the stores that outlive the code. */
  readonly handlers: Handlers;
  onHandlerError(error: HandlerError): void;
}

/** Rejects with the error of the code. The process has ended then. */
export async function loadCode({
  process,
  request,
  signal,
  handlers,
  onHandlerError,
}: LoadCodeOptions): Promise<LoadedCode> {
  let code: LoadedCode | undefined;
  process.handlers = {
    ...handlers,
    notify: (notification: CallNotification) => code?.notify(notification),
    disconnect: (id: number) => code?.disconnect(id),
    handlerError: onHandlerError,
  };
  const onAbort = () => void process.kill();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    const facts = await process.channel.ask<LoadedServer>("load", request);
    code = new LoadedCode({ process, facts });
    return code;
  } catch (error) {
    await process.kill();
    if (signal.aborted) throw signal.reason;
    throw isExitError(error) ? Object.assign(new Error(`${error.message} while it loaded`), { name: "" }) : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
