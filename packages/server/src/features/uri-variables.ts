// The variables of a URI template literal, as a type: "note://{id}" has { id: string }.

/** Query variables may be absent; a match has all others. */
export type UriVariables<Template extends string> = string extends Template
  ? { readonly [name: string]: string }
  : { readonly [Name in NameOf<Template, "always">]: string } & {
      readonly [Name in NameOf<Template, "query">]?: string;
    };

type NameOf<Template extends string, Kind> = Template extends `${string}{${infer Expression}}${infer Rest}`
  ? InExpression<Expression, Kind> | NameOf<Rest, Kind>
  : never;

type InExpression<Expression extends string, Kind> = Expression extends `${"?" | "&"}${infer Names}`
  ? Kind extends "query"
    ? Split<Names>
    : never
  : Kind extends "query"
    ? never
    : Expression extends `${"+" | "#" | "." | "/" | ";"}${infer Names}`
      ? Split<Names>
      : Split<Expression>;

type Split<Names extends string> = Names extends `${infer First},${infer Rest}` ? First | Split<Rest> : Names;
