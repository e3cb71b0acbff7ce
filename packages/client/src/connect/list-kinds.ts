// The four lists of the protocol (E.6): their methods, and the member that identifies an item.
import { method, type Prompt, type Resource, type ResourceTemplate, type Tool } from "@lethe/protocol";
import type { CacheTopic } from "../cache/response-cache.ts";

export interface ListKind<T> {
  readonly method: string;
  readonly member: string;
  readonly topic: CacheTopic;
  keyOf(item: T): string;
}

const tools: ListKind<Tool> = { method: method.listTools, member: "tools", topic: "tools", keyOf: ({ name }) => name };

const resources: ListKind<Resource> = {
  method: method.listResources,
  member: "resources",
  topic: "resources",
  keyOf: ({ uri }) => uri,
};

const resourceTemplates: ListKind<ResourceTemplate> = {
  method: method.listResourceTemplates,
  member: "resourceTemplates",
  topic: "resources",
  keyOf: ({ uriTemplate }) => uriTemplate,
};

const prompts: ListKind<Prompt> = {
  method: method.listPrompts,
  member: "prompts",
  topic: "prompts",
  keyOf: ({ name }) => name,
};

export const listKinds: {
  readonly tools: ListKind<Tool>;
  readonly resources: ListKind<Resource>;
  readonly resourceTemplates: ListKind<ResourceTemplate>;
  readonly prompts: ListKind<Prompt>;
} = { tools, resources, resourceTemplates, prompts };
