// Resource template definitions (E-78): one handler for all URIs of a pattern.
import { checkOptions, type KnownOptions, type ReadResourceResult, type ResourceTemplate } from "@lethe/protocol";
import { requireCacheHints } from "./cache-hints.ts";
import { type Completer, toCompleters } from "./completion.ts";
import type { Context } from "./context.ts";
import { defining, placeOf } from "./defining.ts";
import { createFeature, type Feature } from "./feature.ts";
import type { Forward } from "./forward.ts";
import { InputRequired } from "./input-required.ts";
import {
  defaultReadCache,
  knownResourceOptionsBase,
  type ResourceOptionsBase,
  type ResourceReturn,
  toListedResource,
} from "./resource.ts";
import { toReadResult } from "./resource-result.ts";
import { parseUriTemplate, type UriTemplate } from "./uri-template.ts";
import type { UriVariables } from "./uri-variables.ts";

/** Options of `server.resourceTemplate`. */
export interface ResourceTemplateOptions<Template extends string> extends ResourceOptionsBase {
  /** Completes the values of variables, by variable name. Default: no completions. */
  complete?: { readonly [Name in keyof UriVariables<Template>]?: Completer };
  /**
   * Gets the decoded variables. They may contain "/" or "..": check them before using them in a path. The requested URI
   * is `ctx.request.params.uri`.
   */
  handler(variables: UriVariables<Template>, ctx: Context): ResourceReturn | Promise<ResourceReturn>;
}

const knownResourceTemplateOptions: KnownOptions<ResourceTemplateOptions<string>> = {
  ...knownResourceOptionsBase,
  complete: true,
  handler: "a function",
};

/** The match of a URI with a template. */
export interface ResourceMatch {
  readonly variables: { readonly [name: string]: string };
  readonly uri: string;
}

/** Built once per definition and shared by all requests. */
export interface ResourceTemplateDefinition {
  /** The entry in resources/templates/list. */
  readonly resourceTemplate: ResourceTemplate;
  readonly feature: Feature;
  /** Set for a feature of another server, which answers instead. */
  readonly forward?: Forward | undefined;
  readonly uriTemplate: UriTemplate;
  readonly completers: ReadonlyMap<string, Completer>;
  /** Runs the handler and converts its return value to a result. Throws the errors of the handler. */
  read(match: ResourceMatch, ctx: Context): Promise<ReadResourceResult | InputRequired>;
}

/** Throws an Error that names the template and the invalid field. */
export function createResourceTemplate<Template extends string>(
  template: Template,
  options: ResourceTemplateOptions<Template>,
): ResourceTemplateDefinition {
  const place = placeOf("resource template", template);
  checkOptions(place, options, knownResourceTemplateOptions);
  const uriTemplate = defining(`${place}: uriTemplate`, () => parseUriTemplate(template));
  const { mimeType, complete } = options;
  const cache = defining(`${place}: cache`, () => requireCacheHints(options.cache ?? defaultReadCache));
  return {
    resourceTemplate: { uriTemplate: template, ...toListedResource(template, options) },
    feature: createFeature("resourceTemplate", template, options),
    uriTemplate,
    completers: defining(`${place}: complete`, () => toCompleters(complete, uriTemplate.variables)),
    async read({ variables, uri }, ctx) {
      const returned = await options.handler(variables as UriVariables<Template>, ctx);
      return returned instanceof InputRequired ? returned : toReadResult(returned, { uri, mimeType, cache });
    },
  };
}
