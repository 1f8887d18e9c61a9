import { ToolError, type Tool, type ToolSource } from "@toolweave/core";

/** The tools of a module: its own ones, and sources that it has made. */
export interface ExportedTools {
  readonly tools: readonly Tool[];
  readonly sources: readonly ToolSource[];
}

const accepted = "tools of defineTool, lists of them, or a tool source";

/**
 * Finds the tools among the exports of a module, the default export and named ones. Others are ignored: a module may
 * export helpers. A default export that is a function is called.
 *
 * @param path of the module, for errors.
 * @throws ToolError `unavailable` if there is none.
 */
export async function findExportedTools(
  exports: Readonly<Record<string, unknown>>,
  path: string,
): Promise<ExportedTools> {
  const { default: main, ...named } = exports;
  const values = [await callExport(main, path), ...Object.values(named)];
  // A tool may be exported under its name and in a list.
  const tools = new Set<Tool>();
  const sources = new Set<ToolSource>();
  for (const value of values.flatMap((one): unknown[] => (Array.isArray(one) ? one : [one]))) {
    if (isTool(value)) tools.add(value);
    else if (isToolSource(value)) sources.add(value);
  }
  if (tools.size + sources.size > 0) return { tools: [...tools], sources: [...sources] };
  const names = Object.keys(exports);
  const found = names.length === 0 ? "nothing" : `only ${names.slice(0, 8).join(", ")}`;
  throw new ToolError(
    "unavailable",
    `${path} has no tools: it exports ${found}. Export ${accepted}, by name or as the default.`,
    { retryable: false },
  );
}

async function callExport(main: unknown, path: string): Promise<unknown> {
  if (typeof main !== "function") return main;
  try {
    return (await (main as () => unknown)()) as unknown;
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new ToolError("unavailable", `The function that ${path} exports failed. ${why}`, {
      cause: error,
      retryable: false,
    });
  }
}

/** True for a tool of `defineTool`, of any copy of the package. */
function isTool(value: unknown): value is Tool {
  return isObject(value) && typeof value["invoke"] === "function" && "spec" in value;
}

/** True for a tool source, of any copy of the package. */
function isToolSource(value: unknown): value is ToolSource {
  return isObject(value) && typeof value["tools"] === "function" && "close" in value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
