import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempFolder } from "./temp-file.ts";

/** The code of a module with a read-only tool `greet`, without an import: a temporary folder has no packages. */
export function greeter(greeting: string): string {
  return `export const greet = ${toolCode("greet", `({ name }) => "${greeting} " + name`)};`;
}

/** The code of a tool; with other hints than read-only its calls need approval. */
export function toolCode(name: string, invoke: string, readOnlyHint = true): string {
  const spec = {
    name,
    title: `The tool ${name}`,
    description: `The tool ${name}.`,
    inputSchema: { type: "object", properties: { name: { type: "string" } } },
    annotations: readOnlyHint ? { readOnlyHint } : { destructiveHint: true },
    provenance: { adapter: "function", source: "code" },
  };
  return `({ spec: ${JSON.stringify(spec)}, invoke: (args) => ({ content: [{ type: "text", text: (${invoke})(args) }] }) })`;
}

/** A folder with files that exists until the test ends. */
export function createFolder(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}
