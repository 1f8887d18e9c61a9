/** The facts about a function on the page. */
export interface ScriptFunction {
  /** Absent: a global function. */
  readonly module?: string;
  readonly name: string;
  /** With parameters and result, without the module. */
  readonly signature: string;
  readonly doc: string;
  readonly parameters: readonly { readonly name: string; readonly doc?: string }[];
  readonly kinds: readonly string[];
  /** The part of the outside that it reaches. */
  readonly capability?: string;
  readonly isPure: boolean;
}

/** The page that lists every function of scripts, by module. */
export function scriptFunctionsPage(functions: readonly ScriptFunction[]): string {
  const modules = [...new Set(functions.map(({ module = "" }) => module))];
  return `# Functions of scripts

The functions that scripts of markdown tools and hooks can call, beside those of the [language](starlark.md). \`node scripts/script-functions-page.ts\` writes this page from their table; \`toolweave stubs\` prints the same as a file for editors.

- **effect**: what the function reaches. Each use is a call of its own, on which the policy of the host decides, and which \`access\` of the file can narrow.
- **in**: the kinds of scripts that have the function. \`condition\` is \`when\` of a hook; \`session\` is a script of a model, and \`toolweave repl\`.

${modules.map((module) => sectionText(module, functions)).join("\n\n")}
`;
}

function sectionText(module: string, all: readonly ScriptFunction[]): string {
  const functions = all.filter((each) => (each.module ?? "") === module);
  const title = module === "" ? "Global functions" : module;
  return `## ${title}

| function | what it does | effect | in |
| -------- | ------------ | ------ | -- |
${functions.map(toRow).join("\n")}`;
}

const kindCount = 5;

function toRow({
  module,
  name,
  signature,
  doc,
  parameters,
  kinds,
  capability = "",
}: ScriptFunction): string {
  const prefix = module === undefined || module === name ? "" : `${module}.`;
  const notes = parameters.flatMap(({ name: parameter, doc: note }) =>
    note === undefined ? [] : [`\`${parameter}\`: ${note}`],
  );
  const where = kinds.length === kindCount ? "all" : kinds.join(", ");
  const cells = [`\`${prefix}${signature}\``, [doc, ...notes].join(" "), capability, where];
  return `| ${cells.map(toCell).join(" | ")} |`;
}

/** A text in a table: what a bar or a bracket would break. */
function toCell(text: string): string {
  return text.startsWith("`") ? text.replaceAll("|", "\\|") : text.replace(/[|<*{}]/g, "\\$&");
}
