// The lists of one endpoint: those for callers without extensions, and those for each declaration of extensions.
import { type Caller, clientCapabilitiesOf, type Exchange, type ModernRequest, method } from "@lethe/protocol";
import { CatalogView, type ListKind, type ViewOptions } from "../../catalog/catalog-view.ts";
import type { DeclaredCatalog } from "../../catalog/declared-catalog.ts";
import type { ExtensionCatalogs } from "../../catalog/extension-catalogs.ts";
import { declaredExtensionsOf, noExtensions } from "../../extensions/declared-extensions.ts";

export interface EndpointViewsOptions {
  /** The upstreams by name. Changes with the configuration. */
  readonly upstreams: ReadonlyMap<string, unknown>;
  readonly sets: ExtensionCatalogs | undefined;
  readonly view: Omit<ViewOptions, "onChange" | "onProblem" | "isPrivate">;
  /** Called with the lists that changed for any caller. */
  onChange(kinds: readonly ListKind[]): void;
  /** Called when a caller requests a list of these upstreams. */
  onListed(upstreams: readonly string[]): void;
  onProblem?(problem: string, upstream: string): void;
}

export class EndpointViews {
  /** For callers without extensions. */
  readonly view: CatalogView;
  readonly #options: EndpointViewsOptions;

  constructor(options: EndpointViewsOptions) {
    const { view, onChange, onProblem } = options;
    this.#options = options;
    this.view = new CatalogView({ ...view, onChange, ...(onProblem && { onProblem }) });
  }

  /** Returns the lists for the extensions that a caller declares. */
  readonly viewFor = (request: ModernRequest, caller: Caller | undefined): CatalogView =>
    this.#setFor(request, caller)?.viewOf(this) ?? this.view;

  /** Resolves when the lists were read with the extensions that the caller declares. Undefined if there is nothing to wait for. */
  readonly untilDeclared = (request: ModernRequest, { caller }: Exchange): Promise<void> | undefined =>
    this.#setFor(request, caller)?.untilRead(this.#upstreamsFor(request));

  noteListed(request: ModernRequest, caller: Caller | undefined): void {
    const names = [...this.#options.upstreams.keys()];
    this.#options.onListed(names);
    this.#setFor(request, caller)?.touch(names);
  }

  /** Listeners learn of changes to these lists, but not of the first lists. */
  createView(): CatalogView {
    const { view, onChange } = this.#options;
    let hasLists = false;
    const made: CatalogView = new CatalogView({
      ...view,
      isPrivate: true,
      onChange(kinds) {
        if (hasLists) onChange(kinds);
        hasLists ||= made.isComplete;
      },
    });
    return made;
  }

  #setFor(request: ModernRequest, caller: Caller | undefined): DeclaredCatalog | undefined {
    const declared = declaredExtensionsOf(clientCapabilitiesOf(request));
    return declared === noExtensions ? undefined : this.#options.sets?.setFor(declared, caller?.id);
  }

  /** One for a known tool or prompt, else all. */
  #upstreamsFor({ method: requested, params }: ModernRequest): Iterable<string> {
    const { toolRoutes, promptRoutes } = this.view.current;
    const name = String(params.name);
    const route =
      (requested === method.callTool && toolRoutes.get(name)) ||
      (requested === method.getPrompt && promptRoutes.get(name));
    return route ? [route.upstream] : this.#options.upstreams.keys();
  }
}
