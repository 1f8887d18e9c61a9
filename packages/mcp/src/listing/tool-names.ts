import { cleanName, prefixName, uniqueNames, type SourceProblem } from "@toolweave/core/adapter";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import type { Selection } from "../options/mcp-options.ts";
import { toDisplayName } from "./text-sanitizer.ts";

/** Options that determine the names of tools. */
export interface Naming extends Pick<Selection, "rename"> {
  /** Name of the server. */
  readonly name: string;
  readonly prefix?: string | false | undefined;
}

/** A definition with the registered name of its tool. */
export interface Named {
  readonly name: string;
  readonly definition: McpDefinition;
}

/**
 * Assigns the tools their names: the name in `rename`, or else the server's name in canonical form, with the prefix.
 * A tool whose name was assigned to another one by `rename` is a problem.
 */
export function assignNames(
  definitions: readonly McpDefinition[],
  naming: Naming,
): { readonly named: readonly Named[]; readonly problems: readonly SourceProblem[] } {
  const { rename = {} } = naming;
  const renamed = new Map(Object.entries(rename));
  const present = definitions.filter(({ name }) => renamed.has(name));
  const ownerByName = new Map(present.map(({ name }) => [renamed.get(name) as string, name]));
  const names = uniqueNames(definitions.map(({ name }) => renamed.get(name) ?? name));
  const problems: SourceProblem[] = [];
  const named = definitions.flatMap((definition, index) => {
    const name = names[index] as string;
    const owner = ownerByName.get(name);
    if (owner === undefined || owner === definition.name) {
      return [{ name: withPrefix(naming, name), definition }];
    }
    problems.push({
      subject: toDisplayName(definition.name),
      message: `Its name is assigned to the tool "${toDisplayName(owner)}" by rename: rename this one too, or exclude it.`,
    });
    return [];
  });
  return { named, problems };
}

/** Returns the prefix of the server's names without the separator, also if the tools have none. */
export function getPrefix({ name, prefix }: Naming): string {
  return prefix === undefined || prefix === false ? cleanName(name) : prefix;
}

/** Adds the server's prefix to a name. */
export function withPrefix(
  { name: server, prefix = cleanName(server) }: Naming,
  name: string,
): string {
  return prefix === false ? name : prefixName(prefix, name);
}
