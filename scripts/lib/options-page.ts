/** An option of an interface, as its declaration and its docstring describe it. */
export interface DeclaredOption {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** The end of the docstring, after `Default: `. */
  readonly defaultText: string | undefined;
}

/** The row of an option in the table of the code. */
export interface OptionRow {
  /** Absent: there is none, or it is created for each executor. */
  readonly default?: unknown;
  readonly check?: unknown;
}

/** Reads the properties of an exported interface, each of which has a docstring and is declared on one line. */
export function readInterface(source: string, name: string): DeclaredOption[] {
  const [, body] = new RegExp(`^export interface ${name} \\{\\n(.*?)^\\}`, "ms").exec(source) ?? [];
  if (body === undefined) throw new Error(`there is no interface ${name}`);
  const property = /(?: {2}\/\*\*(.*?)\*\/\n)? {2}readonly (\w+)(\??): ([^\n]*);\n/gsy;
  const options: DeclaredOption[] = [];
  while (property.lastIndex < body.length) {
    const at = property.lastIndex;
    const [, comment = "", option, mark, type] = property.exec(body) ?? [];
    if (option === undefined || type === undefined) {
      throw new Error(`${name} cannot be read from here: ${body.slice(at, at + 80)}`);
    }
    const text = comment.replace(/\s+(?:\* )?/g, " ").trim();
    const [, description = "", defaultText] = /^(.*?)(?: ?Default: (.*)\.)?$/.exec(text) ?? [];
    options.push({ name: option, type, isRequired: mark === "", description, defaultText });
  }
  return options;
}

/** Compares the docstrings of the options with the table of the code; each problem names the option. */
export function optionProblems(
  options: readonly DeclaredOption[],
  table: Readonly<Record<string, OptionRow>>,
): string[] {
  return options.flatMap(({ name, isRequired, description, defaultText }) => {
    if (description === "") return [`${name} needs a docstring that describes it`];
    if (isRequired) return [];
    if (defaultText === undefined)
      return [`the docstring of ${name} has to end with "Default: …."`];
    const expected = formatDefault(table[name]?.default);
    return expected === undefined || expected === defaultText
      ? []
      : [`the default of ${name} is ${expected}, not ${defaultText}`];
  });
}

/** Formats a default as docstrings do; `undefined` for an object, which a docstring describes in words. */
function formatDefault(value: unknown): string | undefined {
  if (typeof value === "number") return value.toLocaleString("en-US");
  if (typeof value === "string") return `\`${value}\``;
  return typeof value === "boolean" ? String(value) : undefined;
}

/** The page that lists every option of the executor. */
export function optionsPage(options: readonly DeclaredOption[]): string {
  return `# Executor options

The options of \`new ToolExecutor({ … })\` configure how calls are checked, approved, run, limited and reported. Only \`registry\` is required.

\`\`\`ts
import { ToolExecutor, ToolRegistry } from "@toolweave/core";

const registry = new ToolRegistry([]);
const executor = new ToolExecutor({ registry, policy: "readOnly", timeoutMs: 30_000 });
\`\`\`

An option that is unknown or not valid is an error with the code \`invalid_configuration\`. \`node scripts/options-page.ts\` writes this page from the docstrings of \`ExecutorOptions\`.

| name | type | default | what it does |
| ---- | ---- | ------- | ------------ |
${options.map(toRow).join("\n")}
`;
}

function toRow({ name, type, isRequired, description, defaultText = "" }: DeclaredOption): string {
  const cells = [`\`${name}\``, `\`${type}\``, isRequired ? "required" : defaultText, description];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
