import type { JsonSchema } from "@toolweave/core";
import { compareNames } from "@toolweave/core/adapter";
import { printAfter, printComment, printKey } from "./print-type.ts";
import { SharedTypes, type RootSchema } from "./shared-types.ts";
import { toNamespaceName, uniqueName } from "./type-names.ts";

/** A tool whose types are declared. */
export interface DeclaredTool {
  readonly name: string;
  /** The id of its source. */
  readonly source: string;
  readonly description: string;
  readonly input: JsonSchema;
  /** undefined: the tool has no schema for its output. */
  readonly output: JsonSchema | undefined;
}

/** The text of a declaration file. */
export interface Declaration {
  readonly text: string;
  /** Tools of which a part of a schema has the type `unknown`, because a reference in it leads to nothing. */
  readonly untyped: readonly string[];
}

/**
 * Declares the types of tools in the interface `ToolTypes` of `@toolweave/core`: for each source a namespace with its
 * tools and the definitions that their schemas share, sorted by name. The same tools have the same text.
 *
 * @param command that writes the file, for its header.
 */
export function declareTools(tools: readonly DeclaredTool[], command: string): Declaration {
  const sorted = tools.toSorted((a, b) => compareNames(a.name, b.name));
  const sources = new Set(tools.map(({ source }) => source));
  const untyped: string[] = [];
  const namespaces: string[] = [];
  const taken = new Set([allTools]);
  for (const source of [...sources].sort(compareNames)) {
    const own = sorted.filter((tool) => tool.source === source);
    const declared = declareSource(own, untyped);
    const name = uniqueName(toNamespaceName(source), taken);
    namespaces.push(`export declare namespace ${name} {\n${declared}}\n`);
  }
  taken.delete(allTools);
  const bases = [...taken].map((name) => `${name}.Tools`).join(", ");
  const text = `// Written by \`${command}\`. Run it again to update this file: changes are lost.
import "@toolweave/core";

declare module "@toolweave/core" {
  interface ToolTypes extends ${allTools} {}
}

interface ${allTools}${bases === "" ? "" : ` extends ${bases}`} {}

${namespaces.join("\n")}`;
  return { text, untyped: untyped.sort(compareNames) };
}

/** Names in \`declare module\` are looked up in the module first: this is the only one, and no name of core. */
const allTools = "GeneratedToolTypes";

/** Declares the tools of a source and their shared types. */
function declareSource(tools: readonly DeclaredTool[], untyped: string[]): string {
  const roots = tools.map(({ name, input, output }) => ({
    input: { schema: input, name: `${name} input` },
    output: output === undefined ? undefined : { schema: output, name: `${name} output` },
  }));
  const all = roots.flatMap(({ input, output }): RootSchema[] =>
    output === undefined ? [input] : [input, output],
  );
  const types = new SharedTypes(all, ["Tools"]);
  const members = tools.map(({ name, description }, index) => {
    const { input, output } = roots[index] as (typeof roots)[number];
    const result = output === undefined ? "unknown" : types.print(output, margin(3));
    if ([input, output].some((root) => root !== undefined && types.hasUnknown(root)))
      untyped.push(name);
    return `${printComment(description, margin(2))}${margin(2)}${printKey(name)}: {
${printAfter(`${margin(3)}input:`, types.print(input, margin(3)))}${printAfter(`${margin(3)}output:`, result)}${margin(2)}};
`;
  });
  return `${margin(1)}interface Tools {\n${members.join("")}${margin(1)}}\n${types.declarations(margin(1)).join("")}`;
}

function margin(levels: number): string {
  return "  ".repeat(levels);
}
