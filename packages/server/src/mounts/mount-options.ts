// What can be mounted on a server, and how its features are selected and changed.
import type {
  Dispatch,
  JsonObject,
  KnownOptions,
  Prompt,
  Resource,
  ResourceTemplate,
  Tool,
  ToolTypesOf,
} from "@lethe/protocol";
import type { CallerRule } from "../features/feature.ts";

/** A server to mount: the result of `createServer`, of `proxy` of @lethe/client, or any object with a `dispatch`, such as a connection. */
export interface Mountable {
  /** Serves the requests. */
  readonly dispatch: Dispatch;
  /** Called when the server on which this one is mounted closes. */
  readonly closeWithServer?: () => void | Promise<void>;
}

/** The list entry of a mounted feature, with its own name and without the prefix. */
export type MountedDefinition =
  | (Tool & { kind: "tool"; fixed?: JsonObject })
  | (Prompt & { kind: "prompt"; fixed?: JsonObject })
  | (Resource & { kind: "resource" })
  | (ResourceTemplate & { kind: "resourceTemplate" });

/** Selects features. One match is enough. */
export interface FeatureSelection {
  /** The names of tools and prompts without the prefix, URIs of resources, URI templates. */
  readonly names?: readonly string[];
  /** The tags of features. Only servers of this process have them. */
  readonly tags?: readonly string[];
}

/** Options of `mount`. */
export interface MountOptions {
  /** Mounts only these features. Default: all. */
  readonly include?: FeatureSelection;
  /** Leaves these features out, even if `include` selects them. Default: none. */
  readonly exclude?: FeatureSelection;
  /** Decides which caller sees the mounted features, in addition to their own rules. Default: every caller. */
  readonly visible?: CallerRule;
  /**
   * Changes list entries: name, title, description, annotations, schemas. `undefined` hides a feature. `fixed` on a tool or prompt sets
   * arguments: they disappear from its schema, and their values replace those of the caller; `undefined` leaves an argument out. URIs and
   * URI templates cannot change.
   */
  readonly transform?: (definition: MountedDefinition) => MountedDefinition | undefined;
  /** Time limit for reading the lists of a server that is not of this process, in ms. Default 10,000. */
  readonly timeoutMs?: number;
  /** Receives problems of a server that is not of this process: unreachable, names that collide. Default: `console.warn`. */
  readonly onProblem?: (problem: string) => void;
}

const knownSelection: KnownOptions<FeatureSelection> = { names: "an array?", tags: "an array?" };

export const knownMountOptions: KnownOptions<MountOptions> = {
  include: knownSelection,
  exclude: knownSelection,
  visible: "a function?",
  transform: "a function?",
  timeoutMs: "a number?",
  onProblem: "a function?",
};

/** Adds the tools of a mounted server under their public names. */
export type WithMount<Tools, Prefix extends string, M> = string extends Prefix
  ? Tools
  : unknown extends ToolTypesOf<M>
    ? Tools
    : Tools & {
        readonly [N in keyof ToolTypesOf<M> as N extends string
          ? Prefix extends ""
            ? N
            : `${Prefix}__${N}`
          : never]: ToolTypesOf<M>[N];
      };
