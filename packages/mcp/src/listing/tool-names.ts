import { cleanName, prefixName, uniqueNames, type SourceProblem } from "@toolweave/core";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import type { Selection } from "../options/mcp-options.ts";
import { toDisplayName } from "./sanitize-texts.ts";

/** What names are made with. */
export interface Naming extends Pick<Selection, "rename"> {
  /** The server's. */
  readonly name: string;
  readonly prefix?: string | false | undefined;
}

/** A definition by the name that its tool has here. */
export interface Named {
  readonly name: string;
  readonly definition: McpDefinition;
}

/**
 * What the tools are called here: as they were renamed, else as the server calls them, made canonical; and the prefix
 * before it. A tool whose own name was given to another one is a problem.
 */
export function assignNames(
  definitions: readonly McpDefinition[],
  naming: Naming,
): { readonly named: readonly Named[]; readonly problems: readonly SourceProblem[] } {
  const { rename = {} } = naming;
  const given = new Map(Object.entries(rename));
  const present = definitions.filter(({ name }) => given.has(name));
  const taken = new Map(present.map(({ name }) => [given.get(name) as string, name]));
  const names = uniqueNames(definitions.map(({ name }) => given.get(name) ?? name));
  const problems: SourceProblem[] = [];
  const named = definitions.flatMap((definition, index) => {
    const name = names[index] as string;
    const owner = taken.get(name);
    if (owner === undefined || owner === definition.name) {
      return [{ name: withPrefix(naming, name), definition }];
    }
    problems.push({
      subject: toDisplayName(definition.name),
      message: `Its name was given to the tool "${toDisplayName(owner)}": rename it, too, or exclude it.`,
    });
    return [];
  });
  return { named, problems };
}

/** What stands before the server's names, without the separator; also where they are the server's own. */
export function getPrefix({ name, prefix }: Naming): string {
  return prefix === undefined || prefix === false ? cleanName(name) : prefix;
}

/** A name with the server's prefix before it. */
export function withPrefix(
  { name: server, prefix = cleanName(server) }: Naming,
  name: string,
): string {
  return prefix === false ? name : prefixName(prefix, name);
}
