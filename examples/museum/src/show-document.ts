import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import type { JsonObject, ToolSpec } from "@toolweave/core";
import { openApiSource } from "@toolweave/openapi";

import type { Terminal } from "./terminal.ts";
import { printTools } from "./tool-table.ts";

const maxTools = 20;
const maxProblems = 5;

/**
 * Lists the tools of the reader's own document and prints how to call one.
 *
 * @throws ToolError if the document cannot be loaded
 */
export async function showDocument(terminal: Terminal, document: string): Promise<void> {
  const source = openApiSource(document);
  const registry = new ToolRegistry([source]);
  try {
    await source.ready;
    await registry.ready;
    // A broken tool is detected when it is read, and must not be recommended.
    source.realize();
    await Promise.resolve();
    const specs = new ToolExecutor({ registry }).toolset.specs();
    terminal.line(terminal.paint("bold", `${document}: ${count(specs.length, "tool")}`));
    terminal.line();
    const listed = specs.slice(0, maxTools);
    printTools(terminal, listed);
    if (specs.length > listed.length) {
      terminal.line(`  … and ${specs.length - listed.length} more`);
    }
    printProblems(terminal, registry);
    printCommand(terminal, specs, document);
  } finally {
    await registry.close();
  }
}

function printProblems(terminal: Terminal, registry: ToolRegistry): void {
  // Limitations of existing tools are for `toolweave inspect`.
  const problems = registry.problems.filter(({ severity }) => severity !== "warning");
  if (problems.length === 0) return;
  terminal.line();
  terminal.line(terminal.paint("yellow", count(problems.length, "problem")));
  for (const { subject, message } of problems.slice(0, maxProblems)) {
    terminal.line(`  ${subject}: ${message}`);
  }
  const more = problems.length - maxProblems;
  if (more > 0) terminal.line(`  … and ${more} more`);
}

function printCommand(terminal: Terminal, specs: readonly ToolSpec[], document: string): void {
  const spec = easiest(specs);
  if (spec === undefined) return;
  const values = listRequired(spec).map(
    (name) => ` ${quoted(`${name}=${findExample(spec, name)}`)}`,
  );
  terminal.line();
  terminal.line("Call one:");
  terminal.line();
  terminal.line(
    `  npx -y pnpm@12 -s toolweave call ${spec.name} --openapi ${quoted(document)}${values.join("")}`,
  );
}

/**
 * The tool with the fewest required arguments among the most harmless ones, so that the command can
 * be tried unchanged. Few are checked: each one's schema has to be created.
 */
function easiest(specs: readonly ToolSpec[]): ToolSpec | undefined {
  const readers = specs.filter(({ annotations }) => annotations.readOnlyHint === true);
  const harmless = specs.filter(({ annotations }) => annotations.destructiveHint !== true);
  const candidates = [readers, harmless, specs].find((some) => some.length > 0) ?? [];
  return candidates
    .slice(0, maxTools)
    .reduce<ToolSpec | undefined>(
      (best, spec) =>
        best === undefined || listRequired(spec).length < listRequired(best).length ? spec : best,
      undefined,
    );
}

function listRequired({ inputSchema }: ToolSpec): string[] {
  const required = inputSchema["required"];
  return Array.isArray(required) ? required.map(String) : [];
}

/** A value that the schema itself gives, else the parameter's name in capitals to be replaced. */
function findExample({ inputSchema }: ToolSpec, name: string): string {
  const properties = inputSchema["properties"] as JsonObject | undefined;
  const schema = (properties?.[name] ?? {}) as JsonObject;
  const candidates = [schema["default"], schema["example"], schema["examples"], schema["enum"]];
  const value = candidates.flat().find((candidate) => candidate !== undefined);
  if (value === undefined || value === null) return name.toUpperCase();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Safe in a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
