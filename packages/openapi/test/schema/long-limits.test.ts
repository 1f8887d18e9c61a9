import { describe, expect, onTestFinished, test } from "vitest";
import { openApiSource } from "../../src/index.ts";

async function findProblems(schema: string): Promise<readonly string[]> {
  const source = openApiSource.fromString(`
openapi: 3.1.0
info: { title: Test, version: "1" }
servers: [{ url: http://api.example }]
paths:
  /x:
    get:
      parameters: [{ in: query, name: v, schema: { type: object, properties: { id: ${schema} } } }]
`);
  onTestFinished(() => source.close());
  await source.ready;
  source.realize();
  return source.problems.map(({ message, pointer }) => `${pointer}: ${message}`);
}

const place = "/paths/~1x/get/parameters/0/schema/properties/id";

describe("an integer beyond 2^53 in a schema, which the parser of the document rounds,", () => {
  test.each([
    ["enum", "[9007199254740993, 1]"],
    ["const", "9007199254740993"],
  ])("is a warning if it is a choice (%s)", async (keyword, value) => {
    expect(await findProblems(`{ type: integer, ${keyword}: ${value} }`)).toEqual([
      `${place}: ${keyword} has integers beyond 2^53, which parsers of JSON and YAML round. It is omitted, so that only the API checks the value: name the choices in the description.`,
    ]);
  });

  test.each(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"])(
    "is a warning if it is a limit (%s)",
    async (keyword) => {
      const schema = `{ type: integer, ${keyword}: 9007199254740993 }`;
      expect(await findProblems(schema)).toEqual([
        `${place}: Parsers of JSON and YAML round integers beyond 2^53, such as its ${keyword}, which is read as 9007199254740992: only the API checks values next to it.`,
      ]);
    },
  );

  test.each([
    "{ type: integer, maximum: 9007199254740991 }",
    "{ type: integer, minimum: -9223372036854775808, maximum: 9223372036854775807 }",
    "{ type: integer, maximum: 18446744073709551615 }",
    "{ type: number, maximum: 1.7976931348623157e+308 }",
  ])("is none if it is exact, or the limit of a type: %s", async (schema) => {
    expect(await findProblems(schema)).toEqual([]);
  });
});
