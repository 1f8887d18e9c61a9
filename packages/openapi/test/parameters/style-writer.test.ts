import { readFileSync } from "node:fs";
import {
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Tool,
} from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource, type OpenApiSource } from "../../src/index.ts";
import { RecordingServer, type Recorded } from "@toolweave/test-support/recording-server";

type OneOf<T> = T | readonly T[];

interface Part {
  readonly name: string;
  readonly text?: string;
  readonly json?: JsonValue;
  readonly file?: boolean;
  readonly ct?: string;
}

interface Expected {
  readonly path: OneOf<string>;
  readonly query?: OneOf<string>;
  readonly queryJson?: JsonObject;
  readonly header?: Readonly<Record<string, string>>;
  readonly headerJson?: Readonly<Record<string, JsonValue>>;
  readonly cookie?: string;
  readonly json?: JsonValue;
  readonly ct?: string;
  readonly bodyText?: string;
  readonly form?: readonly (readonly [string, string])[];
  readonly formJson?: JsonObject;
  readonly parts?: readonly Part[];
}

interface Case {
  readonly id: string;
  readonly group: string;
  readonly method: string;
  readonly logical: {
    readonly [location in "path" | "query" | "header" | "cookie"]?: JsonObject;
  } & { readonly body?: JsonValue };
  readonly expect: Expected;
}

const fixtures = new URL("../fixtures/styles/", import.meta.url);
const cases = JSON.parse(readFileSync(new URL("cases.json", fixtures), "utf8")) as Case[];

let server: RecordingServer;
let source: OpenApiSource;
let executor: ToolExecutor;

beforeAll(async () => {
  server = await RecordingServer.start();
  source = openApiSource.fromFile(new URL("styles.yaml", fixtures), { baseUrl: server.origin });
  const registry = new ToolRegistry([source]);
  await registry.ready;
  executor = new ToolExecutor({
    registry,
    policy: "autonomous",
    onAsk: () => ({ approved: true }),
  });
});

afterAll(async () => {
  await source.close();
  await server.close();
});

/** Arranges the values as the tool's own schema requires. */
function argumentsFor(tool: Tool, logical: Case["logical"]): JsonObject {
  const properties = tool.spec.inputSchema["properties"] as Record<string, JsonSchema>;
  const args: Record<string, JsonValue> = {};
  const find = (location: string, name: string): string => {
    const alias = Object.keys(properties).find((key) =>
      String(properties[key]?.["description"]).endsWith(`Sent as ${name}.`),
    );
    if (alias !== undefined && (alias.startsWith(`${location}_`) || !(name in properties)))
      return alias;
    if (!(name in properties)) throw new Error(`${tool.spec.name} has no argument for ${name}`);
    return name;
  };
  for (const location of ["path", "query", "header", "cookie"] as const) {
    for (const [name, value] of Object.entries(logical[location] ?? {}))
      args[find(location, name)] = value;
  }
  const { body } = logical;
  if (body === undefined) return args;
  if (properties["body"] !== undefined) args["body"] = encoded(body, properties["body"]);
  else {
    for (const [name, value] of Object.entries(body as JsonObject)) {
      args[name] = encoded(value, properties[name] as JsonSchema);
    }
  }
  return args;
}

/** Bytes are base64 for the model, as the schema requires. */
function encoded(value: JsonValue, schema: JsonSchema): JsonValue {
  if (schema["contentEncoding"] === "base64")
    return Buffer.from(value as string).toString("base64");
  const { items } = schema;
  return Array.isArray(value) && typeof items === "object"
    ? value.map((item: JsonValue) => encoded(item, items as JsonSchema))
    : value;
}

type Reading = {
  readonly [Key in keyof Expected]-?: (recorded: Recorded, expected: Expected) => unknown;
};

const readings: Reading = {
  path: ({ path }, expected) => oneOf(path, expected.path),
  query: ({ query }, expected) => oneOf(query, expected.query),
  queryJson: ({ query }, expected) => parsedFields(query, expected.queryJson),
  header: ({ headers }, expected) => pick(headers, expected.header, (value) => value),
  headerJson: ({ headers }, expected) =>
    pick(headers, expected.headerJson, (value) => JSON.parse(value) as JsonValue),
  cookie: ({ headers }) => headers["cookie"],
  json: ({ body }) => JSON.parse(body.toString()) as JsonValue,
  ct: ({ headers }) => headers["content-type"],
  bodyText: ({ body }) => body.toString(),
  form: ({ body }) => [...new URLSearchParams(body.toString())],
  formJson: ({ body }, expected) => parsedFields(body.toString(), expected.formJson),
  parts: (recorded, expected) =>
    readParts(recorded).map((part, index) => asExpected(part, expected.parts?.[index])),
};

/** The sent request, in the format of the expected one. */
function seen(recorded: Recorded, expected: Expected): object {
  const keys = Object.keys(expected) as (keyof Expected)[];
  return Object.fromEntries(keys.map((key) => [key, readings[key](recorded, expected)]));
}

const bodies = ["json", "bodyText", "form", "formJson", "parts"] as const;

/** The parts that were sent although the case expects none. */
function unasked({ query, headers, body }: Recorded, expected: Expected): string[] {
  const hasQuery = expected.query !== undefined || expected.queryJson !== undefined;
  return [
    ...(hasQuery || query === "" ? [] : ["query"]),
    ...(expected.cookie !== undefined || headers["cookie"] === undefined ? [] : ["cookie"]),
    ...(bodies.some((key) => expected[key] !== undefined) || body.length === 0 ? [] : ["body"]),
  ];
}

/** All expected values if one of them was sent. */
function oneOf(actual: string, expected: OneOf<string> | undefined): unknown {
  return Array.isArray(expected) && expected.includes(actual) ? expected : actual;
}

function parsedFields(form: string, expected: JsonObject | undefined): JsonObject {
  const fields = new URLSearchParams(form);
  return Object.fromEntries(
    Object.keys(expected ?? {}).map((name) => [
      name,
      JSON.parse(fields.get(name) ?? "") as JsonValue,
    ]),
  );
}

function pick<T>(
  headers: Recorded["headers"],
  expected: Readonly<Record<string, unknown>> | undefined,
  read: (value: string) => T,
): Record<string, T> {
  return Object.fromEntries(
    Object.keys(expected ?? {}).map((name) => [name, read(headers[name] ?? "")]),
  );
}

interface SentPart {
  readonly name: string | undefined;
  readonly file: boolean;
  readonly type: string | undefined;
  readonly text: string;
}

/** The case has `file` only if a part must be one, and its type only if it matters. */
function asExpected({ name, file, type, text }: SentPart, expected: Part | undefined): object {
  return {
    name,
    ...(expected?.json === undefined ? { text } : { json: JSON.parse(text) as JsonValue }),
    ...(expected?.file === undefined ? {} : { file }),
    ...(expected?.ct === undefined ? {} : { ct: type }),
  };
}

/** The parts of a multipart body, parsed here: `FormData` does not contain the type of a field. */
function readParts({ headers, body }: Recorded): SentPart[] {
  const boundary =
    /^multipart\/form-data; boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1] ?? "";
  const pieces = body.toString().split(`--${boundary}`);
  expect(pieces.at(-1)).toBe("--\r\n");
  return pieces.slice(1, -1).map((piece) => {
    const [head = "", ...rest] = piece.slice(2, -2).split("\r\n\r\n");
    return {
      name: /name="([^"]*)"/.exec(head)?.[1],
      file: head.includes("; filename="),
      type: /^Content-Type: (.+)$/m.exec(head)?.[1],
      text: rest.join("\r\n\r\n"),
    };
  });
}

describe("the sent request is the one that the specification prescribes", () => {
  test("for every case", () => {
    expect(cases).toHaveLength(98);
  });

  test.each(cases.map((one): [string, string, Case] => [one.group, one.id, one]))(
    "%s: %s",
    async (_group, id, one) => {
      const tool = source
        .tools()
        .find(({ spec }) => spec.provenance.origin?.["operationId"] === id) as Tool;
      // Through the executor: the arguments must match the tool's own schema.
      const outcome = await executor.execute({
        id,
        name: tool.spec.name,
        arguments: argumentsFor(tool, one.logical),
      });
      expect(outcome).toMatchObject({ status: "completed", result: { isError: false } });
      expect(server.last.method).toBe(one.method.toUpperCase());
      expect(seen(server.last, one.expect)).toEqual(one.expect);
      expect(unasked(server.last, one.expect)).toEqual([]);
    },
  );
});
