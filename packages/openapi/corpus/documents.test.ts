// Real documents, as published: every operation is read or named with its reason, and every schema
// is self-contained.
import type { JsonSchema } from "@toolweave/core";
import { isToolName } from "@toolweave/core/adapter";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { isFullRun } from "@toolweave/test-support";
import { openApiSource } from "../src/index.ts";
import { openDocument } from "../src/operations/document.ts";
import type { ApiDocument } from "../src/operations/document.ts";
import type { OperationDetails, SelfContainedSchema } from "../src/document/operation.ts";
import { compileAlone } from "../test/support/compile-alone.ts";
import { checkOperations } from "../test/support/open-documents.ts";
import { allDocumentNames, documentNames, specs, uncallable } from "./documents.ts";

const documents = documentNames();

interface Schemas {
  /** PUT has read-only properties that are required, which other requests need not have. */
  readonly replacing: Set<SelfContainedSchema>;
  readonly sent: Set<SelfContainedSchema>;
  readonly received: Set<SelfContainedSchema>;
}

function addSchemas(
  all: Schemas,
  { parameters, body, responses }: OperationDetails,
  method: string,
): void {
  for (const { schema } of parameters) all.sent.add(schema);
  const bodies = method === "PUT" ? all.replacing : all.sent;
  for (const { schema, itemSchema = schema } of body?.media ?? []) {
    bodies.add(schema).add(itemSchema);
  }
  for (const { media } of responses) {
    for (const { schema, itemSchema = schema } of media) all.received.add(schema).add(itemSchema);
  }
}

/**
 * The number of schemas that compile; definitions that several share as one object are compiled
 * once.
 */
function compiled(schemas: ReadonlySet<SelfContainedSchema>): number {
  const definitions = new Map<string, unknown>();
  for (const { defs } of schemas) {
    for (const [name, definition] of defs) {
      expect(definitions.get(name) ?? definition).toBe(definition);
      definitions.set(name, definition);
    }
  }
  const roots = [...schemas].map(({ schema }, index) => [`root/${index}`, schema]);
  const whole = { $defs: { ...Object.fromEntries(definitions), ...Object.fromEntries(roots) } };
  const options = { strict: false, validateFormats: false, logger: false } as const;
  const ajv = new Ajv2020(options).addSchema(whole, "document");
  // Some patterns are only valid without the `u` flag.
  const lenient = new Ajv2020({ ...options, unicodeRegExp: false }).addSchema(whole, "document");
  let count = 0;
  for (const index of roots.keys()) {
    const reference = `document#/$defs/root~1${index}`;
    let validate: unknown;
    try {
      validate = ajv.getSchema(reference);
    } catch {
      validate = lenient.getSchema(reference);
    }
    if (typeof validate === "function") count++;
  }
  return count;
}

/** Fails if a schema refers to something that is not among its definitions. */
function expectComplete(
  { schema, defs }: SelfContainedSchema,
  checked: Map<object, WeakSet<object>>,
): void {
  const seen = checked.get(defs) ?? new WeakSet();
  checked.set(defs, seen);
  const look = (value: unknown, named: boolean): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    for (const [key, member] of Object.entries(value)) {
      if (!named && ["examples", "default", "enum", "const"].includes(key)) continue;
      if (!named && key === "$ref" && !defs.has(String(member).slice("#/$defs/".length))) {
        throw new Error(`${String(member)} is not among the definitions`);
      }
      look(member, key === "properties" && !named);
    }
  };
  look(schema, false);
  for (const definition of defs.values()) look(definition, false);
}

describe.each(documents)("%s", (name) => {
  let opened: ApiDocument;

  test("every operation is read, under a unique name", async () => {
    opened = await openDocument(specs + name);
    const usable = checkOperations(opened);
    expect(opened.problems.filter(({ severity }) => severity !== "warning")).toEqual([]);
    expect(usable).toHaveLength(opened.operations.length);
    expect(new Set(opened.operations.map((operation) => operation.name)).size).toBe(usable.length);
    expect(opened.operations.filter((operation) => !isToolName(operation.name))).toEqual([]);
  });

  test("every schema is complete and compiles", () => {
    const schemas: Schemas = { replacing: new Set(), sent: new Set(), received: new Set() };
    for (const operation of opened.operations) {
      addSchemas(schemas, operation.details(), operation.method);
    }
    for (const some of Object.values(schemas)) {
      const checked = new Map<object, WeakSet<object>>();
      for (const schema of some) expectComplete(schema, checked);
      expect(compiled(some)).toBe(some.size);
    }
  });
});

/** Larger schemas are not compiled one by one: their definitions have been compiled above. */
const maxCompiled = 10_000;

const ajvOptions = { strict: false, logger: false } as const;

/**
 * Fails if a schema refers to something outside it, or, unless it is large, if it does not compile
 * by itself.
 */
function standsAlone(schema: JsonSchema): void {
  const text = JSON.stringify(schema);
  for (const [, pointer = ""] of text.matchAll(/"\$ref":"#\/\$defs\/([^"/]+)/g)) {
    const name = decodeURIComponent(pointer).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!Object.hasOwn((schema.$defs ?? {}) as object, name))
      throw new Error(`#/$defs/${name} is missing`);
  }
  if (text.length > maxCompiled) return;
  // Without options that make it accept more: unknown formats and keywords have their meaning in
  // the specification.
  compileAlone(schema, ajvOptions);
}

describe.each(documents)("the tools of %s", (name) => {
  test("have schemas that compile alone, and problems with a place", async () => {
    const source = openApiSource(specs + name, { baseUrl: "https://api.example" });
    await source.ready;
    source.realize();
    const tools = source.tools();
    const failures: string[] = [];
    for (const { spec, argumentsSchema } of tools) {
      for (const schema of new Set([spec.inputSchema, spec.outputSchema, argumentsSchema])) {
        try {
          if (schema !== undefined) standsAlone(schema);
        } catch (error) {
          failures.push(`${spec.name}: ${String(error)}`);
        }
      }
    }
    expect(failures).toEqual([]);
    expect(tools.filter(({ spec }) => !isToolName(spec.name))).toEqual([]);
    expect(new Set(tools.map(({ spec }) => spec.name)).size).toBe(tools.length);
    const lost = source.problems.filter(({ severity }) => severity !== "warning");
    expect(lost.map(({ subject }) => subject)).toEqual(uncallable[name] ?? []);
    expect(source.problems.filter(({ pointer }) => pointer === undefined)).toEqual([]);
    const { operations } = await openDocument(specs + name);
    expect(tools).toHaveLength(operations.length - lost.length);
    await source.close();
  });
});

test.runIf(isFullRun)("all documents together have 3,231 operations", async () => {
  let count = 0;
  for (const name of allDocumentNames()) {
    count += (await openDocument(specs + name)).operations.length;
  }
  expect(allDocumentNames()).toHaveLength(40);
  expect(count).toBe(3231);
});

test("the data of every document's operations needs no schema", async () => {
  const opened = await openDocument(`${specs}github-api-3.0.json`);
  expect(opened.operations).toHaveLength(1223);
  expect(opened.operations.filter(({ summary }) => summary === undefined)).toEqual([]);
});

test("a document of 2,900 files opens only the files that it needs", async () => {
  const opened = await openDocument(`${specs}digitalocean-multi/DigitalOcean-public.v2.yaml`);
  expect(opened.operations).toHaveLength(659);
  expect(opened.problems).toEqual([]);
});
