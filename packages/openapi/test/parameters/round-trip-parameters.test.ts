import { ToolError, type JsonObject, type JsonValue, type Tool } from "@toolweave/core";
import fc from "fast-check";
import { parseTemplate } from "url-template";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource } from "../../src/index.ts";
import { RecordingServer, respond, type Recorded } from "@toolweave/test-support/recording-server";
import { catchFailure, sentOrRefused } from "../support/round-trip/sent-or-refused.ts";
import { anyText, isPlain, seeded } from "../support/round-trip/seeds.ts";
import {
  readParameter,
  type Shape,
  type WireParameter,
  type WireValue,
} from "../support/round-trip/wire-parameter.ts";

interface Declared extends WireParameter {
  readonly allowReserved: boolean;
}

const combinations: Declared[] = (
  [
    ["path", ["simple", "label", "matrix"]],
    ["query", ["form", "spaceDelimited", "pipeDelimited", "deepObject"]],
    ["header", ["simple"]],
    ["cookie", ["form", "cookie"]],
  ] as const
)
  .flatMap(([location, styles]) =>
    styles.flatMap((style) =>
      (["text", "list", "object"] as const).flatMap((shape) =>
        [false, true].flatMap((explode) =>
          [false, true].map((allowReserved) => ({
            name: "p",
            in: location,
            style,
            shape,
            explode,
            allowReserved,
          })),
        ),
      ),
    ),
  )
  .filter(
    ({ style, shape, explode, allowReserved, in: location }) =>
      // Combinations without a form in the specification.
      !(style === "deepObject" && (shape !== "object" || !explode)) &&
      !(style.endsWith("Delimited") && (shape === "text" || explode)) &&
      !(style === "cookie" && !explode) &&
      !(allowReserved && (location === "header" || style === "cookie")),
  );

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 6, arbitrary: anyText },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
    ),
  },
);
const member = fc.oneof(
  { weight: 12, arbitrary: scalar },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue>(null, [1, "a"], { b: "c,d" }) },
);
const key = anyText.filter((text) => text !== "__proto__");

function valueFor(shape: Shape, style: string): fc.Arbitrary<JsonValue> {
  switch (shape) {
    case "text":
      return fc.oneof(
        { weight: 20, arbitrary: scalar },
        { weight: 1, arbitrary: fc.constant(null) },
      );
    case "list":
      return fc.array(member, { maxLength: 4 });
    case "object":
      return fc
        .dictionary(key, style === "deepObject" ? fc.oneof(scalar, fc.constant(null)) : member, {
          maxKeys: 3,
        })
        .map((value) => ({ ...value }));
  }
}

let server: RecordingServer;
const tools = new Map<string, Tool>();

beforeAll(async () => {
  server = await RecordingServer.start(respond(204, "", ""));
  const paths = Object.fromEntries(
    combinations.map((parameter, index): [string, JsonValue] => {
      const { name, in: location, style, explode, allowReserved } = parameter;
      const declared = {
        name,
        in: location,
        style,
        explode,
        allowReserved,
        required: location === "path",
        schema: {},
      };
      const other = { name: "other", in: location === "path" ? "query" : location, schema: {} };
      return [
        `/${index}/x${location === "path" ? "{p}" : ""}/end`,
        { get: { operationId: `op_${index}`, parameters: [declared, other], responses: {} } },
      ];
    }),
  );
  const document = { openapi: "3.2.0", info: { title: "Round trip", version: "1" }, paths };
  const source = openApiSource.fromDocument(document as JsonObject, { baseUrl: server.origin });
  await source.ready;
  for (const tool of source.tools()) tools.set(tool.spec.name, tool);
});

afterAll(() => server.close());

/**
 * The values that a server should read: null and undefined are not sent, values deeper than one
 * level are JSON.
 */
function expected(value: JsonValue): WireValue | undefined {
  const text = (one: JsonValue): string =>
    typeof one === "object" ? JSON.stringify(one) : String(one);
  if (value === null) return undefined;
  if (typeof value !== "object") return text(value);
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(text);
  const members = Object.entries(value).filter(([, one]) => one !== null);
  return members.length === 0
    ? undefined
    : Object.fromEntries(members.map(([name, one]) => [name, text(one as JsonValue)]));
}

function texts(value: JsonValue): string[] {
  if (value === null || typeof value !== "object") return [String(value)];
  if (Array.isArray(value)) return value.flatMap(texts);
  return Object.entries(value).flatMap(([name, one]) => [name, ...texts(one as JsonValue)]);
}

/** The same by a third-party implementation of RFC 6570, if the RFC has the style. */
function byTemplate(parameter: Declared, value: JsonValue): string | undefined {
  const { in: location, style, explode, allowReserved } = parameter;
  const operator = { simple: "", label: ".", matrix: ";", form: "?" }[style];
  const isInUrl = location === "path" || location === "query";
  if (operator === undefined || !isInUrl || allowReserved || !isFlat(value)) return undefined;
  // That implementation writes empty values in its own ways.
  if (texts(value).length === 0 || texts(value).includes("")) return undefined;
  const template = parseTemplate(`{${operator}p${explode ? "*" : ""}}`);
  return template.expand({ p: value as string }).replace(/^\?/, "");
}

/** Only unusual values may be refused. */
function mustArrive(value: JsonValue, { in: location }: Declared): boolean {
  const isSent = expected(value) !== undefined || location !== "path";
  return isSent && isFlat(value) && texts(value).every(isPlain);
}

const settings = seeded(60_601, 60);

describe("a parameter arrives as it was passed, or is refused", () => {
  test.each(
    combinations.map((one, index): [string, Declared, number] => {
      const { in: location, style, shape, explode, allowReserved } = one;
      return [
        `${location} ${style} ${shape} explode=${explode} allowReserved=${allowReserved}`,
        one,
        index,
      ];
    }),
  )("%s", async (_name, parameter, index) => {
    const tool = tools.get(`op_${index}`) as Tool;
    const given = valueFor(parameter.shape, parameter.style).filter(
      // Percent-encoded triples are sent unchanged (RFC 6570 section 3.2.3).
      (value) =>
        !(parameter.allowReserved && texts(value).some((text) => /%[0-9a-f]{2}/i.test(text))),
    );
    const arrives = fc.asyncProperty(given, async (value) => {
      const sent = await sentOrRefused(tool, { p: value, other: "o" }, server);
      if (sent instanceof ToolError)
        return sent.message.includes('"p"') && !mustArrive(value, parameter);
      const { path, query, headers } = sent;
      const [, number, segment = "", end, ...more] = path.split("/");
      expect([number, end, more]).toEqual([String(index), "end", []]);
      const request = { segment: segment.slice(1), query, headers };
      expect(readParameter(parameter, request, ["other"])).toEqual(expected(value));
      const place = parameter.in === "path" ? "query" : parameter.in;
      const other: WireParameter = {
        name: "other",
        in: place,
        style: "form",
        explode: true,
        shape: "text",
      };
      expect(readParameter(other, request, [])).toBe("o");
      const wire = parameter.in === "path" ? request.segment : query.replace(/&?other=o$/, "");
      expect(wire).toBe(byTemplate(parameter, value) ?? wire);
      return true;
    });
    expect(await catchFailure<[JsonValue]>(arrives, settings)).toBeUndefined();
  });
});

function isFlat(value: JsonValue): boolean {
  if (typeof value !== "object") return true;
  return (
    value !== null && Object.values(value as JsonObject).every((one) => typeof one !== "object")
  );
}

const contents: [location: string, mediaType: string][] = (
  ["path", "query", "header", "cookie", "querystring"] as const
).flatMap((location) => [
  [location, "application/json"],
  [location, "text/plain"],
]);

describe("a parameter with content arrives as it was passed, or is refused", () => {
  test.each(contents)("%s %s", async (location, mediaType) => {
    const json = mediaType === "application/json";
    const parameter = {
      name: "p",
      in: location,
      required: location === "path",
      content: { [mediaType]: { schema: {} } },
    };
    const path = location === "path" ? "/a/{p}/b" : "/a";
    const document = {
      openapi: "3.2.0",
      info: { title: "Content", version: "1" },
      paths: { [path]: { get: { operationId: "op", parameters: [parameter], responses: {} } } },
    };
    const source = openApiSource.fromDocument(document as unknown as JsonObject, {
      baseUrl: server.origin,
    });
    await source.ready;
    const [tool] = source.tools() as [Tool];
    // JSON has no negative zero.
    const anyJson = fc
      .jsonValue({ maxDepth: 3 })
      .map((one) => JSON.parse(JSON.stringify(one)) as JsonValue);
    const value: fc.Arbitrary<JsonValue> = json ? anyJson : anyText;
    const arrives = fc.asyncProperty(value, async (given) => {
      const got = await sentOrRefused(tool, { p: given }, server);
      if (got instanceof ToolError) return !(typeof given === "string" && isPlain(given));
      const text = readContent(location, got, json);
      expect(json ? JSON.parse(text) : text).toEqual(given);
      return true;
    });
    expect(await catchFailure<[JsonValue]>(arrives, settings)).toBeUndefined();
    await source.close();
  });
});

function readContent(location: string, { path, query, headers }: Recorded, json: boolean): string {
  switch (location) {
    case "path":
      return decodeURIComponent(path.slice("/a/".length, -"/b".length));
    case "query":
      return decodeURIComponent(query.slice("p=".length));
    case "header":
      return headers["p"] ?? "";
    case "cookie":
      return (json ? decodeURIComponent : String)((headers["cookie"] ?? "").slice("p=".length));
    default:
      return decodeURIComponent(query);
  }
}
