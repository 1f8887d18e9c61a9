import { ToolError, type JsonObject, type JsonValue, type Tool } from "@toolweave/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource } from "../../src/index.ts";
import { RecordingServer, respond, type Recorded } from "@toolweave/test-support/recording-server";
import { catchFailure, sentOrRefused } from "../support/round-trip/sent-or-refused.ts";
import { anyText, isPlain, seeded } from "../support/round-trip/seeds.ts";
import { readEvents, readForm, readMultipart } from "../support/round-trip/wire-body.ts";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start(respond(204, "", ""));
});

afterAll(() => server.close());

const settings = seeded(60_602, 100);

async function toolFor(content: JsonObject): Promise<Tool> {
  const document = {
    openapi: "3.2.0",
    info: { title: "Bodies", version: "1" },
    paths: {
      "/a": {
        post: { operationId: "op", requestBody: { required: true, content }, responses: {} },
      },
    },
  };
  const source = openApiSource.fromDocument(document as unknown as JsonObject, {
    baseUrl: server.origin,
  });
  await source.ready;
  return source.tools()[0] as Tool;
}

/**
 * Sends values, and reads each back, or records that it was refused for a reason. Returns the
 * failures.
 */
async function failure<T>(
  content: JsonObject,
  values: fc.Arbitrary<T>,
  args: (value: T) => JsonObject,
  read: (recorded: Recorded) => unknown,
  expected: (value: T) => unknown,
  mayRefuse: (value: T) => boolean,
): Promise<string | undefined> {
  const tool = await toolFor(content);
  const arrives = fc.asyncProperty(values, async (value) => {
    const sent = await sentOrRefused(tool, args(value), server);
    if (sent instanceof ToolError) return mayRefuse(value);
    expect(await read(sent)).toEqual(expected(value));
    return true;
  });
  return catchFailure<[T]>(arrives, settings);
}

// JSON has no negative zero.
const json = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const isWhole = (text: string): boolean => Buffer.from(text).toString() === text;
const text = ({ body }: Recorded): string => body.toString();
const whole = <T extends JsonValue>(body: T): JsonObject => ({ body });
const same = (value: unknown): unknown => value;
const never = (): boolean => false;

describe("a body arrives as it was passed, or is refused", () => {
  test.each(["application/json", "application/problem+json", "*/*"])("%s", async (type) => {
    expect(
      await failure(
        { [type]: { schema: {} } },
        json,
        whole,
        (sent) => JSON.parse(text(sent)) as JsonValue,
        same,
        never,
      ),
    ).toBeUndefined();
  });

  test.each([
    ["application/x-ndjson", "", "\n"],
    ["application/json-seq", "\u001e", "\n"],
  ])("%s", async (type, before, after) => {
    expect(
      await failure(
        { [type]: { itemSchema: {} } },
        fc.array(json, { maxLength: 4 }),
        whole,
        (sent) =>
          text(sent)
            .split(after)
            .filter((line) => line !== "")
            .map((line) => JSON.parse(line.slice(before.length)) as JsonValue),
        same,
        never,
      ),
    ).toBeUndefined();
  });

  test("text/event-stream", async () => {
    const event = fc.record(
      { data: anyText, event: anyText, id: anyText },
      { requiredKeys: ["data"] },
    );
    expect(
      await failure(
        { "text/event-stream": { itemSchema: { type: "object" } } },
        fc.array(event, { maxLength: 3 }),
        (events) => ({ body: events.map((one) => ({ ...one })) }),
        (sent) => readEvents(text(sent)),
        (events) => events.map((one) => ({ ...one })),
        (events) => events.some((one) => !Object.values(one).every(isPlain)),
      ),
    ).toBeUndefined();
  });

  test.each(["text/plain", "application/xml", "text/csv; charset=utf-8"])("%s", async (type) => {
    expect(
      await failure(
        { [type]: { schema: { type: "string" } } },
        anyText,
        whole,
        text,
        same,
        (given) => !isWhole(given),
      ),
    ).toBeUndefined();
  });

  test("text in Latin-1", async () => {
    expect(
      await failure(
        { "text/plain; charset=iso-8859-1": { schema: { type: "string" } } },
        anyText,
        whole,
        ({ body }) => body.toString("latin1"),
        same,
        (given) => /[^\u0000-\u00ff]/.test(given),
      ),
    ).toBeUndefined();
  });

  test.each(["application/octet-stream", "image/png", "image/*"])("%s", async (type) => {
    expect(
      await failure(
        { [type]: {} },
        fc.tuple(bytes, fc.constantFrom("base64" as const, "base64url" as const)),
        // For a range of types, the bytes must contain their type.
        ([given, alphabet]) => ({
          body: `${type.includes("*") ? "data:image/gif;base64," : ""}${given.toString(alphabet)}`,
        }),
        ({ body }) => body.toString("hex"),
        ([given]) => given.toString("hex"),
        never,
      ),
    ).toBeUndefined();
  });
});

const fieldName = anyText.filter((name) => name !== "__proto__");
const scalar = fc.oneof(anyText, fc.integer(), fc.boolean());
const fieldValue: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fieldName, scalar, { maxKeys: 2 }).map((value) => ({ ...value })),
  },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue>(null, [null], [[1, "a"], { b: 2 }]) },
);
const fields = fc
  .dictionary(fieldName, fieldValue, { maxKeys: 4 })
  .map((value): JsonObject => ({ ...value }));

/** The fields of a form: a list is repeated, deeper values are JSON, null is not sent. */
function expectedFields(value: JsonObject): [string, string][] {
  return Object.entries(value).flatMap(([name, member]) =>
    (member === null ? [] : Array.isArray(member) ? (member as JsonValue[]) : [member]).map(
      (item: JsonValue): [string, string] => [
        name,
        typeof item === "object" ? JSON.stringify(item) : String(item),
      ],
    ),
  );
}

function isOdd(value: JsonObject): boolean {
  const all = JSON.stringify(value);
  // Half characters are escaped in JSON; `_method`, null in a list, and unusual characters in names
  // are refused.
  return /\\ud[89a-f]|method|\[null\]|\\u00[01]|\u007f|\\\\/i.test(all);
}

describe("a form arrives as it was passed, or is refused", () => {
  test("url-encoded", async () => {
    expect(
      await failure(
        { "application/x-www-form-urlencoded": { schema: { type: "object" } } },
        fields,
        whole,
        (sent) => [...new URLSearchParams(text(sent))],
        expectedFields,
        isOdd,
      ),
    ).toBeUndefined();
  });

  test("url-encoded with styles", async () => {
    const encoding = {
      list: { explode: false },
      pipes: { style: "pipeDelimited" },
      deep: { style: "deepObject" },
    };
    const list = fc.array(scalar, { minLength: 1, maxLength: 3 });
    const key = fieldName.filter((name) => name !== "");
    const deep = fc
      .dictionary(key, scalar, { minKeys: 1, maxKeys: 3 })
      .map((value) => ({ ...value }));
    expect(
      await failure(
        { "application/x-www-form-urlencoded": { schema: { type: "object" }, encoding } },
        fc.record({ list, pipes: list, deep }),
        ({ list: l, pipes, deep: d }) => ({ body: { list: l, pipes, deep: d } }),
        (sent) => {
          const raw = text(sent)
            .split("&")
            .map((pair) => pair.split("=") as [string, string]);
          const of = (name: string): string => raw.find(([one]) => one === name)?.[1] ?? "";
          return {
            list: of("list").split(",").map(decodeURIComponent),
            pipes: decodeURIComponent(of("pipes")).split("|"),
            deep: Object.fromEntries(
              raw
                .filter(([one]) => one.startsWith("deep%5B"))
                .map(([one, value]) => [
                  decodeURIComponent(one).slice(5, -1),
                  decodeURIComponent(value),
                ]),
            ),
          };
        },
        ({ list: l, pipes, deep: d }) => ({
          list: l.map(String),
          pipes: pipes.map(String),
          deep: Object.fromEntries(Object.entries(d).map(([name, value]) => [name, String(value)])),
        }),
        (value) =>
          isOdd(value as unknown as JsonObject) ||
          /[|[\]]/.test(
            JSON.stringify([
              value.pipes.map(String).join(""),
              Object.keys(value.deep).join(""),
            ]).slice(1, -1),
          ),
      ),
    ).toBeUndefined();
  });

  test("multipart, with files", async () => {
    const schema = {
      type: "object",
      additionalProperties: true,
      properties: {
        file: { type: "string", format: "binary" },
        files: { type: "array", items: {} },
      },
    };
    // A percent sign in a name cannot be distinguished from an escape of browsers, and an empty
    // name is not a name.
    const named = fields.map((value) =>
      Object.fromEntries(
        Object.entries(value).filter(
          ([name]) => name !== "" && !name.includes("%") && !["file", "files"].includes(name),
        ),
      ),
    );
    expect(
      await failure(
        { "multipart/form-data": { schema } },
        fc.record({ named, file: bytes, files: fc.array(bytes, { maxLength: 2 }) }),
        (value) => ({
          body: {
            ...value.named,
            file: value.file.toString("base64"),
            files: value.files.map((one) => one.toString("base64")),
          },
        }),
        async ({ headers, body }) => {
          const parts = await readForm(headers["content-type"] ?? "", body);
          return {
            fields: parts
              .filter(({ isFile }) => !isFile)
              .map(({ name, bytes: given }) => [name, given.toString()]),
            files: parts
              .filter(({ isFile }) => isFile)
              .map(({ name, bytes: given }) => [name, given.toString("hex")]),
          };
        },
        (value) => ({
          fields: expectedFields(value.named),
          files: [
            ["file", value.file.toString("hex")],
            ...value.files.map((one) => ["files", one.toString("hex")]),
          ],
        }),
        (value) => isOdd(value.named),
      ),
    ).toBeUndefined();
  });

  test("multipart, parts without names", async () => {
    const part = fc.oneof(
      anyText.map((given) => ({
        given: given as JsonValue,
        arrives: Buffer.from(given),
        odd: !isWhole(given),
      })),
      fc.dictionary(fieldName, scalar, { maxKeys: 2 }).map((given) => ({
        given: { ...given } as JsonValue,
        arrives: Buffer.from(JSON.stringify(given)),
        odd: false,
      })),
    );
    expect(
      await failure(
        { "multipart/mixed": { schema: { type: "array", prefixItems: [{}] } } },
        fc.tuple(bytes, fc.array(part, { maxLength: 3 })),
        ([first, rest]) => ({
          body: [first.toString("base64"), ...rest.map(({ given }) => given)],
        }),
        ({ headers, body }) =>
          readMultipart(headers["content-type"] ?? "", body).map((one) => one.body.toString("hex")),
        ([first, rest]) => [
          first.toString("hex"),
          ...rest.map((one) => one.arrives.toString("hex")),
        ],
        ([, rest]) => rest.some(({ odd }) => odd),
      ),
    ).toBeUndefined();
  });

  test("multipart, nested", async () => {
    expect(
      await failure(
        {
          "multipart/mixed": {
            schema: { type: "array", prefixItems: [{ type: "array" }, { type: "object" }] },
            prefixEncoding: [
              { contentType: "multipart/mixed", itemEncoding: { contentType: "text/css" } },
            ],
          },
        },
        fc.tuple(
          fc.array(anyText, { minLength: 1, maxLength: 3 }),
          fc.dictionary(fieldName, scalar, { maxKeys: 2 }),
        ),
        ([inner, object]) => ({ body: [inner, { ...object }] }),
        ({ headers, body }) => {
          const [first, second] = readMultipart(headers["content-type"] ?? "", body);
          const inner = readMultipart(
            first?.headers["content-type"] ?? "",
            first?.body ?? Buffer.alloc(0),
          );
          return [
            inner.map((one) => one.body.toString()),
            JSON.parse(second?.body.toString() ?? "") as JsonValue,
          ];
        },
        ([inner, object]) => [inner, { ...object }],
        ([inner]) => !inner.every(isWhole),
      ),
    ).toBeUndefined();
  });
});
