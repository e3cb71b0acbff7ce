// Derives the definition of a mounted feature from the one of its own server: public name, changed list entry, fixed arguments.
import { isJsonObject, type JsonObject, parseParamHeaders, taskSupportOf, withTaskSupport } from "@lethe/protocol";
import { defining } from "../features/defining.ts";
import type { Feature } from "../features/feature.ts";
import type { Forward } from "../features/forward.ts";
import type { PromptDefinition } from "../features/prompt.ts";
import type { ResourceDefinition } from "../features/resource.ts";
import type { ResourceTemplateDefinition } from "../features/resource-template.ts";
import { requireToolName, type ToolDefinition } from "../features/tool.ts";
import type { MountedDefinition } from "./mount-options.ts";
import type { MountRules } from "./mount-rules.ts";

type Of<Kind extends MountedDefinition["kind"]> = Extract<MountedDefinition, { kind: Kind }>;

/** Undefined for a feature that the mount leaves out, like the other functions. Throws an Error that names the feature. */
export function toMountedTool(own: ToolDefinition, rules: MountRules): ToolDefinition | undefined {
  const changed = change(rules, own.feature, { ...own.tool, kind: "tool" });
  if (changed === undefined) return undefined;
  const { kind: _, fixed, ...tool } = changed;
  tool.name = requireToolName(rules.toPublicName(changed.name));
  if (fixed) tool.inputSchema = withoutProperties(tool.inputSchema, fixed);
  const support = taskSupportOf(own.tool);
  if (support !== undefined) withTaskSupport(tool, support);
  const feature = toMountedFeature(own.feature, tool.name, rules, own.feature.inputSchema && tool.inputSchema);
  return {
    ...own,
    tool,
    feature,
    paramHeaders: fixed ? parseParamHeaders(tool.inputSchema) : own.paramHeaders,
    forward: own.forward && withFixed(own.forward, fixed),
    validateInput: fixed ? (args) => own.validateInput(toFixed(args, fixed)) : own.validateInput,
  };
}

export function toMountedPrompt(own: PromptDefinition, rules: MountRules): PromptDefinition | undefined {
  const changed = change(rules, own.feature, { ...own.prompt, kind: "prompt" });
  if (changed === undefined) return undefined;
  const { kind: _, fixed, ...prompt } = changed;
  prompt.name = rules.toPublicName(changed.name);
  if (fixed) prompt.arguments = (prompt.arguments ?? []).filter(({ name }) => !Object.hasOwn(fixed, name));
  return {
    ...own,
    prompt,
    feature: toMountedFeature(own.feature, prompt.name, rules, own.feature.inputSchema),
    forward: own.forward && withFixed(own.forward, fixed),
    validateInput: fixed
      ? (args) => own.validateInput(toFixed(args, fixed) as { [name: string]: string })
      : own.validateInput,
  };
}

export function toMountedResource(own: ResourceDefinition, rules: MountRules): ResourceDefinition | undefined {
  const changed = change(rules, own.feature, { ...own.resource, kind: "resource" });
  if (changed === undefined) return undefined;
  const { kind: _, ...resource } = changed;
  requireSame("uri", own.resource.uri, resource.uri);
  return { ...own, resource, feature: toMountedFeature(own.feature, resource.uri, rules, undefined) };
}

export function toMountedTemplate(
  own: ResourceTemplateDefinition,
  rules: MountRules,
): ResourceTemplateDefinition | undefined {
  const changed = change(rules, own.feature, { ...own.resourceTemplate, kind: "resourceTemplate" });
  if (changed === undefined) return undefined;
  const { kind: _, ...resourceTemplate } = changed;
  const { uriTemplate } = resourceTemplate;
  requireSame("uriTemplate", own.resourceTemplate.uriTemplate, uriTemplate);
  return { ...own, resourceTemplate, feature: toMountedFeature(own.feature, uriTemplate, rules, undefined) };
}

function change<Kind extends MountedDefinition["kind"]>(
  rules: MountRules,
  { name, tags = [] }: Feature,
  definition: Of<Kind>,
): Of<Kind> | undefined {
  if (!rules.takes(name, tags)) return undefined;
  return defining(`mount ${JSON.stringify(rules.prefix)}: transform of ${JSON.stringify(name)}`, () => {
    const changed = rules.transform(definition);
    if (changed === undefined) return undefined;
    if (!isJsonObject(changed) || changed.kind !== definition.kind) {
      throw new Error(`a definition of kind "${definition.kind}" or undefined expected`);
    }
    return changed as unknown as Of<Kind>;
  });
}

function toMountedFeature(own: Feature, name: string, rules: MountRules, inputSchema: JsonObject | undefined): Feature {
  return Object.freeze({ ...own, name, inputSchema, visible: rules.visibilityOf(own) });
}

function requireSame(member: string, before: string, after: string): void {
  if (before !== after) throw new Error(`a transform cannot change the ${member} ${JSON.stringify(before)}`);
}

function withFixed(forward: Forward, fixed: JsonObject | undefined): Forward {
  return fixed ? { ...forward, fixed: { ...fixed, ...forward.fixed } } : forward;
}

/** The arguments as the handler gets them. */
export function toFixed(args: JsonObject, fixed: JsonObject): JsonObject {
  const merged: JsonObject = { ...args, ...fixed };
  for (const name of Object.keys(fixed)) if (fixed[name] === undefined) delete merged[name];
  return merged;
}

function withoutProperties(schema: JsonObject, fixed: JsonObject): JsonObject {
  const { properties, required } = schema;
  const isKept = (name: unknown): boolean => typeof name !== "string" || !Object.hasOwn(fixed, name);
  return {
    ...schema,
    ...(isJsonObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isKept(name))),
    }),
    ...(Array.isArray(required) && { required: required.filter(isKept) }),
  };
}
