// URI templates of resources (RFC 6570, levels 1 to 3), matched in reverse: from a URI to its variables (E-78).
// A match reads the URI once from left to right and never backtracks.

export interface UriTemplate {
  readonly template: string;
  /** In order of appearance. */
  readonly variables: readonly string[];
  /** The decoded variables, or undefined when the URI does not match. A query variable may be absent. */
  match(uri: string): { [name: string]: string } | undefined;
}

interface Variable {
  name: string;
  /** {+x} and {#x} may contain "/", "?" and "#"; other values end there. */
  isReserved: boolean;
}

interface Query {
  mark: "?" | "&";
  names: ReadonlySet<string>;
}

interface Compiled {
  /** The characters that an operator adds before and between values are literals. */
  steps: (string | Variable)[];
  query: Query | undefined;
}

type Values = { [name: string]: string };

const expressionText = /^([+#./;?&]?)([A-Za-z0-9_.]+(?:,[A-Za-z0-9_.]+)*)$/;
const endOfSegment = /[/?#]/;

/** The longest template, in characters. Templates of mounted servers are foreign input. */
const maxTemplateLength = 2_048;

/** Throws an Error for a long template, bad syntax, level 4, a repeated variable, or values that cannot be separated. */
export function parseUriTemplate(template: string): UriTemplate {
  if (template.length > maxTemplateLength) throw new Error(`it is longer than ${maxTemplateLength} characters`);
  const compiled: Compiled = { steps: [], query: undefined };
  let position = 0;
  while (position < template.length) {
    const open = template.indexOf("{", position);
    const end = open === -1 ? template.length : open;
    addLiteral(compiled, template.slice(position, end));
    if (open === -1) break;
    const close = template.indexOf("}", open);
    if (close === -1) throw new Error('"{" without "}"');
    addExpression(compiled, template.slice(open + 1, close));
    position = close + 1;
  }
  const variables = namesOf(compiled);
  requireDistinct(variables);
  return { template, variables, match: (uri) => match(compiled, uri) };
}

function requireDistinct(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`variable "${twice}" occurs twice`);
}

function addExpression(compiled: Compiled, text: string): void {
  const [, operator, list] = expressionText.exec(text) ?? [];
  if (list === undefined) throw new Error(`{${text}} must be an expression of RFC 6570, level 1 to 3`);
  const names = list.split(",");
  if (operator === "?" || operator === "&") {
    requireNoQuery(compiled);
    requireDistinct(names);
    compiled.query = { mark: operator, names: new Set(names) };
    return;
  }
  names.forEach((name, index) => {
    addLiteral(compiled, literalBefore(operator ?? "", name, index === 0));
    addVariable(compiled, { name, isReserved: operator === "+" || operator === "#" });
  });
}

function literalBefore(operator: string, name: string, isFirst: boolean): string {
  switch (operator) {
    case "/":
    case ".":
      return operator;
    case ";":
      return `;${name}=`;
    case "#":
      return isFirst ? "#" : ",";
    default:
      return isFirst ? "" : ",";
  }
}

function addLiteral(compiled: Compiled, literal: string): void {
  if (literal === "") return;
  requireNoQuery(compiled);
  if (literal.includes("}")) throw new Error('"}" without "{"');
  const last = compiled.steps.at(-1);
  if (typeof last === "string") compiled.steps[compiled.steps.length - 1] = last + literal;
  else compiled.steps.push(literal);
}

function addVariable(compiled: Compiled, variable: Variable): void {
  requireNoQuery(compiled);
  const last = compiled.steps.at(-1);
  if (typeof last === "object")
    throw new Error(`nothing tells where {${last.name}} ends and {${variable.name}} begins`);
  compiled.steps.push(variable);
}

function requireNoQuery(compiled: Compiled): void {
  if (compiled.query) throw new Error(`nothing may follow {${compiled.query.mark}${[...compiled.query.names].join()}}`);
}

function namesOf({ steps, query }: Compiled): string[] {
  const names = steps.flatMap((step) => (typeof step === "string" ? [] : [step.name]));
  return query ? [...names, ...query.names] : names;
}

/** The longest URI that a template matches, in characters. */
const maxUriLength = 65_536;

function match(compiled: Compiled, uri: string): Values | undefined {
  if (uri.length > maxUriLength || !hasBothEnds(compiled, uri)) return undefined;
  const { steps, query } = compiled;
  const raws: string[] = [];
  let position = 0;
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as string | Variable;
    if (typeof step === "string") {
      if (!uri.startsWith(step, position)) return undefined;
      position += step.length;
      continue;
    }
    const end = endOfValue(compiled, index, uri, position);
    // With empty values, "note://" would match "note://{id}".
    if (end <= position) return undefined;
    raws.push(uri.slice(position, end));
    position = end;
  }
  const rest = position === uri.length ? "" : uri.slice(position);
  if (rest !== "" && !(query && rest.startsWith(query.mark))) return undefined;
  const values = readValues(steps, raws);
  return values && query && rest !== "" ? readQuery(query, rest.slice(1), values) : values;
}

/** The cheapest difference comes first: a URI is compared with all templates of a server until one matches. */
function hasBothEnds({ steps, query }: Compiled, uri: string): boolean {
  const [first] = steps;
  const last = steps.at(-1);
  if (typeof first === "string" && !uri.startsWith(first)) return false;
  return query !== undefined || typeof last !== "string" || uri.endsWith(last);
}

/** Only of a URI that has all literals of the template. */
function readValues(steps: Compiled["steps"], raws: readonly string[]): Values | undefined {
  const values: Values = {};
  let index = 0;
  for (const step of steps) {
    if (typeof step === "string") continue;
    const raw = raws[index++] as string;
    if ((!step.isReserved && endOfSegment.test(raw)) || !assign(values, step.name, raw)) return undefined;
  }
  return values;
}

/** Up to the next literal; or up to the query or the end of the URI. */
function endOfValue({ steps, query }: Compiled, index: number, uri: string, position: number): number {
  const next = steps[index + 1] as string | undefined;
  if (next === undefined) {
    const end = query ? uri.indexOf(query.mark, position) : -1;
    return end === -1 ? uri.length : end;
  }
  const isLast = index + 2 === steps.length && query === undefined;
  const variable = steps[index] as Variable;
  // The last literal is at the end of the URI, and a reserved value is as long as possible.
  return isLast || variable.isReserved ? uri.lastIndexOf(next) : uri.indexOf(next, position + 1);
}

/** Query variables may have any order. Unknown ones are ignored. */
function readQuery({ names }: Query, text: string, values: Values): Values | undefined {
  for (const pair of text.split("&")) {
    const equals = pair.indexOf("=");
    const name = equals === -1 ? pair : pair.slice(0, equals);
    if (!names.has(name) || Object.hasOwn(values, name)) continue;
    if (!assign(values, name, equals === -1 ? "" : pair.slice(equals + 1))) return undefined;
  }
  return values;
}

function assign(values: Values, name: string, raw: string): boolean {
  try {
    // No plain assignment: a variable may be called __proto__.
    const value = decodeURIComponent(raw);
    Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true });
    return true;
  } catch {
    return false;
  }
}
