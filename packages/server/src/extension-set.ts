// The extensions that a server uses, and the apps that it defines.
import { appsExtension, checkOptions, type Middleware, nameOf, type Result } from "@lethe/protocol";
import { isExtensionNotification } from "@lethe/protocol/revisions";
import { type AppOptions, appMimeType, checkApp, createAppDefinition } from "./apps/app-definition.ts";
import { createAppPage } from "./apps/app-page.ts";
import { apps } from "./apps.ts";
import { toMiddleware } from "./extension-middleware.ts";
import type { Schema } from "./features/schema.ts";
import type { ToolReturn, WithTool } from "./features/tool.ts";
import type { Server } from "./server.ts";
import { type ExtensionHost, knownServerExtension, type ServerExtension } from "./server-extension.ts";

type TextOf = NonNullable<AppOptions<undefined, undefined>["text"]>;

export class ExtensionSet {
  readonly #server: Server;
  readonly #host: ExtensionHost;
  #settingUp: Promise<unknown> | undefined;
  readonly #used: Map<string, ServerExtension> = new Map();
  /** The texts of tools for clients without apps. */
  readonly #texts: Map<string, TextOf> = new Map();
  /** End the watches of the files of apps. */
  readonly #watches: Set<() => void> = new Set();
  #hasHooks = false;

  constructor(server: Server, host: ExtensionHost) {
    this.#server = server;
    this.#host = host;
  }

  /** Resolves when every extension is set up and the other promise is settled. Undefined when a request need not wait. */
  readyWith(other: Promise<unknown> | undefined): Promise<unknown> | undefined {
    const own = this.#settingUp;
    return own && other ? Promise.all([own, other]) : (own ?? other);
  }

  /** Returns the middleware of its hooks, if it has any. Throws an Error that names the extension and the member that is wrong. */
  add(extension: ServerExtension): Middleware | undefined {
    const { id, settings, methods = {}, needsDeclaration = true } = extension;
    const name = `extension ${JSON.stringify(id)}`;
    checkOptions(name, extension, knownServerExtension);
    checkNotifications(name, extension.notifications);
    if (this.#used.has(id)) throw new Error(`${name}: the server uses it already`);
    this.#server.extension(id, settings);
    for (const [name, handler] of Object.entries(methods))
      this.#server.method(name, handler, needsDeclaration ? { extension: id } : {});
    this.#used.set(id, extension);
    const done = extension.setUp?.(this.#server, this.#host);
    if (done !== undefined) this.#wait(done);
    return toMiddleware(extension);
  }

  /** A failure stays: without its extension, the server might serve what the extension hides. */
  #wait(done: Promise<void>): void {
    const all = Promise.all([this.#settingUp, done]);
    this.#settingUp = all;
    all.then(
      () => {
        if (this.#settingUp === all) this.#settingUp = undefined;
      },
      () => {},
    );
  }

  /** Throws an Error that names the app and the option that is wrong. */
  addApp<Name extends string, I extends Schema | undefined, O extends Schema | undefined, R extends ToolReturn<O>>(
    name: Name,
    options: AppOptions<I, O, R>,
  ): Server<WithTool<unknown, Name, I, O>> {
    checkApp(name, options);
    const server = this.#server;
    const page = createAppPage(name, options);
    const definition = createAppDefinition(name, options, { server: server.info.name, page });
    const { text, visibility } = options;
    // Without hooks, a server stays one that can be mounted and flattened.
    if (text || visibility?.includes("model") === false) this.#hook();
    server.extension(appsExtension, { mimeTypes: [appMimeType] });
    const defined = server.tool(name, definition.tool);
    server.resource(definition.uri, definition.resource);
    if (text) this.#texts.set(name, text);
    if (page.watch && options.watch !== false)
      this.#watches.add(page.watch(() => server.resourceUpdated(definition.uri)));
    return defined as Server<WithTool<unknown, Name, I, O>>;
  }

  /** A tool of that name that is defined later is another one. */
  forgetApp(name: string): void {
    this.#texts.delete(name);
  }

  /** Calls every `close` once, also after one of them failed. */
  async close(): Promise<void> {
    for (const stop of this.#watches) stop();
    this.#watches.clear();
    const used = [...this.#used.values()];
    this.#used.clear();
    const closed = await Promise.allSettled(used.map(async (extension) => extension.close?.()));
    for (const one of closed) if (one.status === "rejected") throw one.reason;
  }

  #hook(): void {
    if (this.#hasHooks) return;
    const hooks = toMiddleware({
      ...apps(),
      callTool: async ({ request, isDeclared }, next) => {
        const text = isDeclared ? undefined : this.#texts.get(String(request.params.name));
        const result = await next();
        return text ? withText(result, text) : result;
      },
    });
    if (hooks) this.#server.use(hooks);
    this.#hasHooks = true;
  }
}

/** Throws an Error that names the first name that a revision defines, or that is no name. */
function checkNotifications(place: string, names: unknown = []): void {
  const expected = 'names of its own expected, such as "com.example/reports.read"';
  if (!Array.isArray(names)) throw new Error(`${place}: option "notifications": ${expected}, got ${nameOf(names)}`);
  const wrong = names.find((name) => typeof name !== "string" || !isExtensionNotification(name));
  if (wrong !== undefined)
    throw new Error(`${place}: option "notifications": ${expected}, got ${JSON.stringify(wrong)}`);
}

/** Errors, input requests and tasks stay as they are. */
function withText(result: Result, text: TextOf): Result {
  const { resultType, content, isError, structuredContent } = result;
  if (resultType !== "complete" || isError === true || !Array.isArray(content)) return result;
  return { ...result, content: [{ type: "text", text: text({ content, structuredContent }) }] };
}
