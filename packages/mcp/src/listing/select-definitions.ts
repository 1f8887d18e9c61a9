import { globMatcher, type SourceProblem } from "@toolweave/core";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import type { Selection } from "../options/mcp-options.ts";

/**
 * The definitions that one of `include` fits, if it is there, and none of `exclude`; and a warning for each glob, and
 * each name of `rename`, that fits none of the server's.
 *
 * @param subject what the warnings are about.
 */
export function selectDefinitions(
  definitions: readonly McpDefinition[],
  { include, exclude = [], rename = {} }: Selection,
  subject: string,
): { readonly definitions: readonly McpDefinition[]; readonly problems: readonly SourceProblem[] } {
  const isIncluded = include === undefined ? () => true : globMatcher(include);
  const isExcluded = globMatcher(exclude);
  const unused = (option: string, glob: string, fits: (name: string) => boolean): SourceProblem[] =>
    definitions.some(({ name }) => fits(name))
      ? []
      : [
          {
            subject,
            message: `${option} "${glob}" fits no tool of the server: look for a misspelt name.`,
            severity: "warning",
          },
        ];
  const globs = (option: string, all: readonly string[]): SourceProblem[] =>
    all.flatMap((glob) => unused(option, glob, globMatcher([glob])));
  return {
    definitions: definitions.filter(({ name }) => isIncluded(name) && !isExcluded(name)),
    problems: [
      ...globs("include", include ?? []),
      ...globs("exclude", exclude),
      ...Object.keys(rename).flatMap((own) => unused("rename", own, (name) => name === own)),
    ],
  };
}
