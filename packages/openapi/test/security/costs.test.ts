// Documents that are small and would take hours or gigabytes if every path in them were followed.
import type { JsonObject, Tool } from "@toolweave/core";
import { argumentsSchemaOf, type PreflightContext } from "@toolweave/core/adapter";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseDocument } from "../../src/document/loading/parse-document.ts";
import { openApiSource, type OpenApiSource } from "../../src/index.ts";
import { createDocument } from "../support/open-source.ts";
import { cpuTimer } from "../support/cpu-timer.ts";

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const named = (
  count: number,
  prefix: string,
  schema: (index: number) => JsonObject,
): Record<string, JsonObject> =>
  Object.fromEntries(range(count).map((index) => [`${prefix}${index}`, schema(index)]));

/** The cost for this process, in milliseconds. */
function cost(work: () => void): number {
  const spent = cpuTimer();
  work();
  return spent();
}

interface Read {
  readonly source: OpenApiSource;
  readonly tool: Tool | undefined;
  /** Milliseconds of CPU time for everything that a list of tools reads. */
  readonly ms: number;
}

/** An operation with such a body, and everything that is created from it. */
async function read(
  schema: JsonObject,
  schemas: JsonObject = {},
  mediaType: string = "application/json",
): Promise<Read> {
  const requestBody = { required: true, content: { [mediaType]: { schema } } };
  const source = openApiSource.fromDocument(
    createDocument(
      { "/x": { post: { operationId: "x", requestBody, responses: {} } } },
      { components: { schemas } },
    ),
    { baseUrl: "https://api.example" },
  );
  onTestFinished(() => source.close());
  await source.ready;
  const ms = cost(() => {
    source.realize();
  });
  return { source, tool: source.tools()[0], ms };
}

const modelLength = ({ tool }: Read): number => JSON.stringify(tool?.spec.inputSchema).length;

describe("a text is read in time that grows with its length alone", () => {
  test.each<[string, string]>([
    ["comments after a comma that closes nothing", `{"a":1,${"/**/".repeat(26)}x}`],
    ["spaces within a value that needs quotes", `a: b: c${" ".repeat(80_000)}x\n`],
  ])("%s", (_, text) => {
    const ms = cost(() => {
      try {
        parseDocument(text);
      } catch {
        // Its value does not matter here.
      }
    });
    expect(ms).toBeLessThan(500);
  });

  test("comments and commas are removed whatever is between them", () => {
    const text = '{"a//b": [1, /* , ] */ 2 , // x\n ], "c": "/*", /*/ "d" /*/ "e": "\\",}",}';
    expect(parseDocument(text)).toEqual({ "a//b": [1, 2], c: "/*", e: '",}' });
  });
});

describe("the model's schema is created once, and fits", () => {
  test("for choices that occur repeatedly", async () => {
    const wide = named(40, "B", () => ({
      properties: named(1000, "p", () => ({ type: "string" })),
    }));
    const body = {
      properties: named(300, "q", () => ({ oneOf: range(40).map((at) => ref(`B${at}`)) })),
    };
    expect((await read(body, wide)).ms).toBeLessThan(2000);
  });

  test("for one argument, however large it is", async () => {
    const many = range(5000).map((at) => ref(`D${at}`));
    const wide = await read(
      { allOf: many },
      named(5000, "D", (at) => ({ minLength: at })),
    );
    expect(modelLength(wide)).toBeLessThan(17_000);
    const long = "x".repeat(100_000);
    const texts = await read({
      properties: {
        a: { type: "string", format: long, contentEncoding: long },
        b: { properties: { [long]: { properties: { [long]: { type: "string" } } } } },
      },
    });
    expect(modelLength(texts)).toBeLessThan(17_000);
  });

  test("for a summary and a path", async () => {
    const long = `/${"x".repeat(50_000)}`;
    const source = openApiSource.fromDocument(
      createDocument({ [long]: { get: { responses: {} }, put: { summary: long, responses: {} } } }),
    );
    onTestFinished(() => source.close());
    await source.ready;
    for (const { spec } of source.tools()) expect(spec.description.length).toBeLessThan(1100);
  });

  test("for more properties than a function can have arguments", async () => {
    const properties = named(130_000, "p", () => ({}));
    const { tool } = await read(
      { properties: { ...properties, again: ref("A"), once: ref("A") } },
      {
        A: { type: "object", properties: { a: { type: "string" } } },
      },
    );
    expect(Object.keys(tool?.spec.inputSchema["properties"] ?? {})).toHaveLength(130_002);
  });
});

describe("a body", () => {
  test("whose properties would all have the same name gets its names in bounded time", async () => {
    const names = range(6000).map(
      (at) => `a${"!".repeat(at % 80)}${"?".repeat(Math.floor(at / 80))}`,
    );
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const { tool, ms } = await read({ type: "object", properties });
    const listedNames = Object.keys(tool?.spec.inputSchema["properties"] ?? {});
    expect(new Set(listedNames).size).toBe(names.length);
    expect(Math.max(...listedNames.map((name) => name.length))).toBeLessThanOrEqual(64);
    expect(ms).toBeLessThan(1500);
  });

  test("of parts is planned once, however many choices lead to each", async () => {
    const levels = 6;
    const schemas: Record<string, JsonObject> = {};
    for (const level of range(levels)) {
      for (const at of range(12)) {
        schemas[`L${level}x${at}`] =
          level === levels - 1
            ? { type: "object", properties: { file: { type: "string", format: "binary" } } }
            : { anyOf: range(12).map((to) => ref(`L${level + 1}x${to}`)) };
      }
    }
    const { tool, ms } = await read(ref("L0x0"), schemas, "multipart/form-data");
    let intended: unknown;
    const planned = cost(() => {
      intended = tool?.preflight?.({ body: { file: "AA==" } }, {} as PreflightContext);
    });
    expect(intended).toMatchObject([{ target: "POST https://api.example/x" }]);
    expect(ms + planned).toBeLessThan(2000);
  });

  test("whose schemas all refer directly to each other is read in bounded time", async () => {
    const all = range(250).map((at) => ref(`D${at}`));
    const clique = await read(
      ref("D0"),
      named(250, "D", () => ({ allOf: all })),
    );
    expect(clique.ms).toBeLessThan(1500);
    expect(clique.source.problems).toMatchObject([
      { severity: "warning", message: expect.stringMatching(/any value is accepted/) as string },
    ]);
  });

  test("with the same choice thousands of times does not create as many lists of its values", async () => {
    const mapping = Object.fromEntries(range(3000).map((at) => [`v${at}`, "A"]));
    const oneOf = range(3000).map(() => ref("A"));
    const { tool, source } = await read(
      { oneOf, discriminator: { propertyName: "t", mapping } },
      { A: { type: "object" } },
    );
    expect(tool).toBeUndefined();
    expect(source.problems[0]?.message).toMatch(/more than 1000000 steps/);
  });
});

test("schemas that only refer to each other are reported to accept anything, others are not", async () => {
  const endless = await read(ref("A"), { A: { allOf: [ref("B")] }, B: { anyOf: [ref("A")] } });
  expect(endless.source.problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/consists only of references that lead back to it/) as string,
  ]);
  const meant = await read(ref("Pet"), {
    Pet: { oneOf: [ref("Cat"), ref("Dog")] },
    Cat: { allOf: [ref("Pet"), { required: ["purrs"] }] },
    Dog: { allOf: [ref("Pet"), { required: ["barks"] }] },
  });
  expect(meant.source.problems).toEqual([]);
  expect(argumentsSchemaOf(meant.tool as Tool)["$defs"]).toHaveProperty("Cat");
});
