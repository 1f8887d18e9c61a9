import { globMatcher, type SourceProblem } from "@toolweave/core/adapter";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import type { Selection } from "../options/mcp-options.ts";

/**
 * Selects the definitions that match `include`, if it is set, and not `exclude`. Returns a warning for each glob, and
 * each name in `rename`, that matches no tool of the server.
 *
 * @param subject Subject of the warnings.
 */
export function selectDefinitions(
  definitions: readonly McpDefinition[],
  { include, exclude = [], rename = {} }: Selection,
  subject: string,
): { readonly definitions: readonly McpDefinition[]; readonly problems: readonly SourceProblem[] } {
  const isIncluded = include === undefined ? () => true : globMatcher(include);
  const isExcluded = globMatcher(exclude);
  const unused = (
    option: string,
    glob: string,
    matches: (name: string) => boolean,
  ): SourceProblem[] =>
    definitions.some(({ name }) => matches(name))
      ? []
      : [
          {
            subject,
            message: `${option} "${glob}" matches no tool of the server: check the spelling.`,
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
      ...Object.keys(rename).flatMap((toolName) =>
        unused("rename", toolName, (name) => name === toolName),
      ),
    ],
  };
}
