// Anyone can write a document: a faulty part affects its operation at most.
import { ToolError, type Tool } from "@toolweave/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { openApiSource, type OpenApiSource } from "../../src/index.ts";
import { hostileDocument } from "../support/hostile-documents.ts";

const methods = new Set("get put post delete options head patch trace".split(" "));

/** The operations that a document declares, as far as possible: `GET /pets`. */
function declared(document: object): string[] {
  const paths = (document as { paths?: unknown }).paths;
  if (typeof paths !== "object" || paths === null || Array.isArray(paths)) return [];
  return Object.entries(paths).flatMap(([path, item]) =>
    path.startsWith("x-") || typeof item !== "object" || item === null || Array.isArray(item)
      ? []
      : Object.keys(item)
          .filter((key) => methods.has(key))
          .map((key) => `${key.toUpperCase()} ${path}`),
  );
}

function describePlace({ spec }: Tool): string {
  const { method, path } = spec.provenance.origin as { method: string; path: string };
  return `${method} ${path}`;
}

/** True if a JSON pointer resolves to a value in the document. */
function exists(document: unknown, pointer: string): boolean {
  let value = document;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return true;
}

function expectCompiles(tool: Tool, schema: object | undefined): void {
  if (schema === undefined) return;
  JSON.stringify(schema);
  try {
    new Ajv2020({ strict: false, logger: false }).compile(schema);
  } catch (error) {
    throw new Error(`${describePlace(tool)}: ${JSON.stringify(schema).slice(0, 3000)}`, {
      cause: error,
    });
  }
}

async function opened(document: object): Promise<OpenApiSource | undefined> {
  const source = openApiSource.fromDocument(document);
  try {
    await source.ready;
    return source;
  } catch (error) {
    if (ToolError.is(error) && error.code === "invalid_arguments") return undefined;
    throw error;
  }
}

test("any operation of a broken document is a tool whose schemas compile, or a problem with a place", async () => {
  await fc.assert(
    fc.asyncProperty(hostileDocument, async (document) => {
      const source = await opened(document);
      if (source === undefined) return;
      source.realize();
      const tools = source.tools();
      const { problems } = source;
      for (const { pointer, subject } of problems) {
        if (!exists(document, pointer ?? "")) throw new Error(`${subject}: nothing at ${pointer}`);
      }
      const faults = problems.filter(({ severity }) => severity !== "warning");
      const known = new Set([...tools.map(describePlace), ...faults.map(({ subject }) => subject)]);
      for (const operation of declared(document)) {
        const path = operation.slice(operation.indexOf(" ") + 1);
        if (!known.has(operation) && !known.has(path)) throw new Error(`${operation} is lost`);
      }
      expect(new Set(tools.map(({ spec }) => spec.name)).size).toBe(tools.length);
      for (const tool of tools.slice(0, 12)) {
        expectCompiles(tool, tool.spec.inputSchema);
        expectCompiles(tool, tool.spec.outputSchema);
      }
    }),
    { numRuns: inFullRun(50, 8) },
  );
}, 120_000);
