import { relative } from "node:path";
import type {
  PermissionRequest,
  PolicyDefinition,
  PolicyInput,
  PolicyLayerInput,
} from "@toolweave/core";
import { safeLine } from "./text.ts";

/** The places where a person writes what changes a decision. */
export interface RemedyPlaces {
  /** The file that has all sources of the command; undefined: some are named on the command line. */
  readonly config: string | undefined;
  /** The file whose workspace has rules that decide about commands; undefined: none has. */
  readonly workspace: string | undefined;
  /** The sentence that says where a rule is added, by the name of the policy. */
  readonly policies: ReadonlyMap<string, (rule: string) => string>;
}

/** The places where a person writes what changes a decision about a tool. */
export interface ToolPlaces extends RemedyPlaces {
  /** The tool's source. */
  readonly source: string | undefined;
}

/** A policy as a person has written it. */
export interface WrittenPolicy {
  readonly policy: PolicyInput;
  /** Absent: it is the name of a preset on the command line. */
  readonly file?: string;
  /** Its place in the file; absent: it is all of it. */
  readonly path?: string;
}

/**
 * Finds the places of the policies of a command. Their names are those of an executor: `policy` for the first one that is
 * about all tools, then the place in the list, unless a policy has a name of its own.
 *
 * @param before the number of policies for sources, which come before all others.
 * @param written in the order of the executor.
 * @param otherwise the sentence if there is none.
 */
export function listPolicyPlaces(
  before: number,
  written: readonly WrittenPolicy[],
  otherwise: (rule: string) => string,
): RemedyPlaces["policies"] {
  const places = new Map<string, (rule: string) => string>();
  let index = before;
  for (const { policy, file, path = "" } of written) {
    const layers = [policy].flat() as readonly PolicyLayerInput[];
    for (const [at, layer] of layers.entries()) {
      const { name = index === before ? "policy" : `policy[${index}]` } = layer as PolicyDefinition;
      const own = Array.isArray(policy) ? `${path}[${at}]` : path;
      places.set(name, (rule) => describe(layer, file, own, rule));
      index += 1;
    }
  }
  return places.size === 0 ? places.set("policy", otherwise) : places;
}

function describe(
  layer: PolicyLayerInput,
  file: string | undefined,
  path: string,
  rule: string,
): string {
  if (typeof layer === "object") {
    return `Add ${rule} to ${path === "" ? "" : `${path}.`}rules in ${file}.`;
  }
  const policy = `{ "preset": "${String(layer)}", "rules": [${rule}] }`;
  if (file === undefined) return `Pass a file with ${policy} as --policy.`;
  return `Write ${policy} in place of "${String(layer)}" in ${path} of ${file}.`;
}

/** A path as people read it: relative, if it is in this folder. */
export function displayPath(path: string): string {
  const below = relative(process.cwd(), path);
  return below === "" || below.startsWith("..") ? path : below;
}

/** The advice of a policy for a permission, with the key and the file in which the user writes it. */
export function formatRemedy(
  remedy: string,
  permission: PermissionRequest,
  places?: ToolPlaces,
): string {
  if (places === undefined) return safeLine(remedy);
  const { config, source, workspace, policies } = places;
  const trusted =
    config === undefined || source === undefined
      ? remedy
      : remedy.replace(
          "`trustAnnotations: true` for the tool's source",
          () => `\`mcp.${source}.trustAnnotations: true\` in ${config}`,
        );
  const advice = trusted.replace(
    /Add (\{.*\}) to the rules of the policy(?: "(.*)")?\.$/,
    (whole: string, rule: string, name = "policy") => {
      const command = workspace === undefined ? undefined : commandRule(permission);
      return command === undefined
        ? (policies.get(name)?.(rule) ?? whole)
        : `Add ${command} to workspace.commands.rules in ${String(workspace)}.`;
    },
  );
  return safeLine(advice);
}

/** The rule of a workspace that allows a command; undefined: it is none that a rule can name. */
function commandRule({ kind, details }: PermissionRequest): string | undefined {
  const { isKnown, argv } = (details ?? {}) as {
    readonly isKnown?: unknown;
    readonly argv?: unknown;
  };
  if (kind !== "process" || isKnown !== true || !Array.isArray(argv)) return undefined;
  const words = argv.map((word) => JSON.stringify(word)).join(", ");
  return `{ "command": [${words}], "effect": "allow" }`;
}
