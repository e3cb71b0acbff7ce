// Resource templates as an author defines them (E-78): one handler for all URIs of a pattern.
import type { ReadResourceResult, ResourceTemplate } from "@lethe/protocol";
import { requireCacheHints } from "./cache-hints.ts";
import { type Completer, toCompleters } from "./completion.ts";
import type { Context } from "./context.ts";
import { defining } from "./defining.ts";
import { createFeature, type Feature } from "./feature.ts";
import { InputRequired } from "./input-required.ts";
import { defaultReadCache, type ResourceOptionsBase, type ResourceReturn, toListedResource } from "./resource.ts";
import { toReadResult } from "./resource-result.ts";
import { parseUriTemplate, type UriTemplate } from "./uri-template.ts";
import type { UriVariables } from "./uri-variables.ts";

export interface ResourceTemplateOptions<Template extends string> extends ResourceOptionsBase {
  complete?: { readonly [Name in keyof UriVariables<Template>]?: Completer };
  /**
   * Gets the variables decoded: one may hold "/" or "..", so check it before it becomes part of a path (E-81). The URI
   * as it was asked for is `ctx.request.params.uri`.
   */
  handler(variables: UriVariables<Template>, ctx: Context): ResourceReturn | Promise<ResourceReturn>;
}

/** What answers resources/read for one URI of a template. */
export interface ResourceMatch {
  readonly variables: { readonly [name: string]: string };
  readonly uri: string;
}

/** Built once, at definition; shared by all requests. */
export interface ResourceTemplateDefinition {
  /** As resources/templates/list shows it. */
  readonly resourceTemplate: ResourceTemplate;
  readonly feature: Feature;
  readonly uriTemplate: UriTemplate;
  readonly completers: ReadonlyMap<string, Completer>;
  /** Runs the handler and turns whatever it returned into a result. Throws what the handler throws. */
  read(match: ResourceMatch, ctx: Context): Promise<ReadResourceResult | InputRequired>;
}

/** Throws an Error that names the template and the field that is wrong. */
export function createResourceTemplate<Template extends string>(
  template: Template,
  options: ResourceTemplateOptions<Template>,
): ResourceTemplateDefinition {
  const place = `resource template ${JSON.stringify(template)}`;
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
