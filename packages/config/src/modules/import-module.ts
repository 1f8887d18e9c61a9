import { statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ToolError } from "@toolweave/core";

/**
 * Imports a JavaScript or TypeScript module of the user's. Its code runs in this process.
 *
 * @param path relative to the current folder, or absolute.
 * @param query makes the module a new one: Node.js caches modules by URL. Default: none.
 * @returns its exports.
 * @throws ToolError `unavailable` for a file that is missing, and for a module that cannot be loaded, with the line.
 */
export async function importModule(
  path: string,
  query = "",
): Promise<Readonly<Record<string, unknown>>> {
  const file = resolve(path);
  const problem = fileProblem(file);
  if (problem !== undefined) throw failure(`${path} ${problem}.`);
  const { href } = pathToFileURL(file);
  try {
    return (await import(href + query)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw failure(
      `${path} cannot be loaded${errorLine(error, href)}. ${describeLoadError(error)}`,
      error,
    );
  }
}

function fileProblem(file: string): string | undefined {
  try {
    return statSync(file).isFile() ? undefined : "is not a file";
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown reason"})`;
  }
}

function describeLoadError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const message = `${error.name}: ${error.message}`;
  switch (code) {
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return `Node.js runs TypeScript by erasing its types, and this syntax is more than types: ${firstLine(error.message)}. Replace enums, namespaces, parameter properties and import aliases, or compile the module to JavaScript first. The option "erasableSyntaxOnly" of tsconfig.json reports such syntax.`;
    case "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING":
      return "Node.js does not run TypeScript in node_modules: name a JavaScript file of the package.";
    case "ERR_MODULE_NOT_FOUND": {
      const missing = /Cannot find package '([^']+)'/.exec(error.message)?.[1];
      if (missing !== undefined) {
        return `The package ${missing} is not installed where the module is: run \`npm install ${missing}\` there.`;
      }
      // A file of the module's own.
      return message;
    }
    default:
      return message;
  }
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").trim();
}

/** Formats the line in the module: ` (line 3)`. Empty if it is elsewhere or unknown. */
function errorLine(error: unknown, href: string): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  for (const name of [href, fileURLToPath(href)]) {
    const [, after] = stack.split(name);
    const line = /^(?:\?[^:\s]*)?:(\d+)/.exec(after ?? "")?.[1];
    if (line !== undefined) return ` (line ${line})`;
  }
  return "";
}

function failure(message: string, cause?: unknown): ToolError {
  return new ToolError("unavailable", message, { cause, retryable: false });
}
