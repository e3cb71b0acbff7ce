// Resources: registerResource(name, uri or template, metadata, callback).
import type { Expression, Node } from "@babel/types";
import { endOf, startOf } from "../source/source-file.ts";
import { isFunction, type MethodCall, memberOf, parameterName } from "../source/syntax.ts";
import { walk } from "../source/walk.ts";
import { completeParameters, joinHandler } from "./handler-edits.ts";
import { addHandler, type OfficialFile } from "./official-file.ts";

export function collectResource(official: OfficialFile, { call }: MethodCall): void {
  const callback = call.arguments[3];
  if (callback) addHandler(official, callback as Expression, templateOf(official, call.arguments[1]) ? 2 : 1);
}

export function migrateResource(official: OfficialFile, { call, property }: MethodCall): void {
  const { file } = official;
  const [name, uri, metadata, handler] = call.arguments as Expression[];
  if (!name || !uri || !metadata || !handler) {
    file.find(call, "a resource without metadata and a callback");
    return;
  }
  const template = templateOf(official, uri);
  file.replace(property, template ? "resourceTemplate" : "resource");
  const members = [`name: ${file.textOf(name)}`, ...(template ? readTemplate(official, template) : [])];
  file.edits.remove(startOf(name), startOf(uri));
  const pattern = template?.arguments[0];
  if (pattern) file.replace(uri, file.textOf(pattern));
  completeParameters(official, handler, true);
  convertHandler(official, handler, template !== undefined);
  joinHandler(official, metadata, handler, members.join(", "));
}

type NewTemplate = Extract<Node, { type: "NewExpression" }>;

/** The `new ResourceTemplate(…)` of an argument, also through a variable. */
function templateOf({ variables, file }: OfficialFile, uri: Node | undefined): NewTemplate | undefined {
  const value = uri?.type === "Identifier" ? variables.get(uri.name) : uri;
  return value?.type === "NewExpression" && file.textOf(value.callee) === "ResourceTemplate" ? value : undefined;
}

/** `new ResourceTemplate(pattern, { list, complete })` */
function readTemplate({ file }: OfficialFile, template: NewTemplate): string[] {
  const options = template.arguments[1];
  const list = memberOf(options, "list");
  if (list && file.textOf(list.value) !== "undefined") {
    file.find(
      list,
      "a resource template of Lethe lists nothing: register the resources that exist with server.resource()",
    );
  }
  const complete = memberOf(options, "complete");
  return complete ? [`complete: ${file.textOf(complete.value)}`] : [];
}

/** The callback gets a URL; handlers of Lethe get the URI as text, and those of templates get the variables. */
function convertHandler(official: OfficialFile, handler: Expression, isTemplate: boolean): void {
  const { file } = official;
  if (!isTemplate && usesOnlyHref(official, handler)) return;
  file.insertBefore(handler, isTemplate ? "(variables, ctx) => (" : "(href, ctx) => (");
  file.insertAfter(
    handler,
    isTemplate ? ")(new URL(ctx.request.params.uri), variables, ctx)" : ")(new URL(href), ctx)",
  );
}

/** True if the callback reads nothing but `uri.href`, which becomes `uri`. */
function usesOnlyHref({ file }: OfficialFile, handler: Expression): boolean {
  if (!isFunction(handler)) return false;
  const [parameter] = handler.params;
  if (parameter === undefined) return true;
  const name = parameterName(parameter);
  if (name === undefined) return false;
  const uses: Node[] = [];
  let others = 0;
  walk(handler.body, (node, ancestors) => {
    if (node.type !== "Identifier" || node.name !== name) return;
    const parent = ancestors.at(-1);
    const isHref =
      parent?.type === "MemberExpression" && parent.object === node && file.textOf(parent.property) === "href";
    if (isHref) uses.push(parent);
    else if (!isMemberName(parent, node)) others += 1;
  });
  if (others > 0) return false;
  if (parameter.type === "Identifier" && parameter.typeAnnotation) {
    file.edits.remove(startOf(parameter.typeAnnotation), endOf(parameter.typeAnnotation));
  }
  for (const use of uses) file.edits.remove(startOf(use) + name.length, endOf(use));
  return true;
}

/** Whether a node is only the name of a member, as `uri` in `{ uri: 1 }` and `a.uri`. */
function isMemberName(parent: Node | undefined, node: Node): boolean {
  if (parent?.type === "MemberExpression") return parent.property === node && !parent.computed;
  return parent?.type === "ObjectProperty" && parent.key === node && !parent.computed && !parent.shorthand;
}
