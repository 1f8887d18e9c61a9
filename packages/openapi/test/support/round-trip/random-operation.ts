import type { JsonObject, JsonValue } from "@toolweave/core";
import fc from "fast-check";
import {
  fileSample,
  listSample,
  nestedSample,
  objectSample,
  scalarSample,
  type Sample,
  type Target,
  type Version,
} from "./random-schema.ts";
import { anyText } from "./seeds.ts";

/** The place of a value of an operation. */
type Place = "path" | "query" | "header" | "cookie";

/** A parameter of a random operation, and its value. */
export interface DrawnParameter {
  readonly in: Place;
  readonly name: string;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Its value is JSON (`content`), whatever its style. */
  readonly isJson: boolean;
  readonly required: boolean;
  readonly sample: Sample;
  readonly passed: boolean;
}

/** A body of a random operation, and its value. */
export interface DrawnBody {
  readonly mediaType: string;
  readonly required: boolean;
  readonly sample: Sample;
  /** The members of a form, in order; none for JSON. */
  readonly fields: readonly DrawnField[];
  readonly passed: boolean;
}

/** A field of a form. */
export interface DrawnField {
  readonly name: string;
  readonly sample: Sample;
  readonly required: boolean;
  readonly passed: boolean;
  /** Its serialization (`encoding`); absent: by its type. */
  readonly encoding?: { readonly style: string; readonly explode: boolean };
}

/** The host's setting of an argument: none, hidden, or fixed. */
type Host = "none" | "hides" | "fixes";

/** A complete operation. */
export interface DrawnOperation {
  readonly version: Version;
  readonly method: string;
  /** Text before each path parameter, and after the last. */
  readonly texts: readonly string[];
  readonly parameters: readonly DrawnParameter[];
  readonly body?: DrawnBody;
  /** For each argument in turn. */
  readonly host: readonly Host[];
}

/**
 * Names that collide with each other, with our own names, and with special names of a language or a
 * URL.
 */
const commonNames = [
  ..."aaabb",
  ..."id filter body request_body query_a header_a cookie_a path_a query_id a_b content headers".split(
    " ",
  ),
  ..."constructor toString x-y $top @type a.b".split(" "),
];
const oddNames = "a[b] filter[name] filter[] é 名前 😀 a&b=c a+b #x ?y ; a%41 %".split(" ");
const longName = "long".repeat(20);

const visible = anyText.filter(
  (name) =>
    name !== "" &&
    name.trim() === name &&
    /^[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+$/u.test(name) &&
    !/method|__proto__/i.test(name),
);

const names: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...commonNames) },
  { weight: 3, arbitrary: fc.constantFrom(...oddNames, longName) },
  { weight: 2, arbitrary: visible },
);

const tokens = fc.constantFrom(
  ..."a b id filter body query_a header_a X-Id x-y a_b x_a $top a.b X-Long-Name".split(" "),
);

const texts: Readonly<Record<Place, fc.Arbitrary<string>>> = {
  path: anyText.filter((text) => text !== "" && !/[.\\%\p{Cc}]/u.test(text)),
  query: anyText.filter((text) => !text.includes("\r")),
  header: fc
    .string({ unit: fc.constantFrom(..."abc 019;=:/?\"'{}[]é|%_".split("")), maxLength: 8 })
    .map((text) => text.trim()),
  cookie: anyText,
};

/** Mostly values that are valid in the place. */
function textAt(place: Place): fc.Arbitrary<string> {
  return fc.oneof({ weight: 12, arbitrary: texts[place] }, { weight: 1, arbitrary: anyText });
}

/** True for values that are not sent outside of JSON. */
export function isNothing(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  return Object.values(value).every((one) => isNothing(one as JsonValue));
}

const key = fc.oneof(
  { weight: 8, arbitrary: names },
  {
    weight: 1,
    arbitrary: anyText.filter((name) => name !== "__proto__" && !/\p{Surrogate}/u.test(name)),
  },
);

/** The styles that each place has for each shape (OpenAPI 3.2, "Style Values"). */
const styles: Readonly<Record<Place, Readonly<Record<Sample["shape"], readonly string[]>>>> = {
  path: {
    text: ["simple", "label", "matrix"],
    list: ["simple", "label", "matrix"],
    object: ["simple", "label", "matrix"],
  },
  query: {
    text: ["form"],
    list: ["form", "form", "spaceDelimited", "pipeDelimited"],
    object: ["form", "form", "form", "deepObject", "spaceDelimited", "pipeDelimited"],
  },
  header: { text: ["simple"], list: ["simple"], object: ["simple"] },
  cookie: { text: ["form", "cookie"], list: ["form", "cookie"], object: ["form", "cookie"] },
};

function styled(place: Place, version: Version): fc.Arbitrary<DrawnParameter> {
  const text = textAt(place);
  const scalar = scalarSample(text);
  const values = fc.oneof(
    { weight: 3, arbitrary: scalar },
    { weight: 2, arbitrary: listSample(text, place === "path" ? 1 : 0) },
    { weight: 2, arbitrary: objectSample(scalar, key, 3) },
  );
  const chosen = fc.record({
    name: place === "header" ? tokens : names,
    sample: values,
    style: fc.nat(5),
    explode: fc.boolean(),
    allowReserved: fc.nat(5).map((one) => one === 0 && place === "query"),
    required: fc.boolean(),
    passed: fc.nat(4).map((one) => one > 0),
    odd: fc.nat(30).map((one) => one === 0),
  });
  const byStyle = chosen.map((one): DrawnParameter => {
    const some = styles[place][one.sample.shape].filter(
      (style) => style !== "cookie" || version === "3.2.0",
    );
    const style = some[one.style % some.length] as string;
    const required =
      place === "path" || (one.required && (one.odd || !isNothing(one.sample.value)));
    return {
      ...one,
      in: place,
      style,
      explode:
        style === "deepObject" ||
        style === "cookie" ||
        (one.explode && !style.endsWith("Delimited")),
      required,
      passed: required || one.passed,
      isJson: false,
    };
  });
  // A cookie of this style has a name without escapes, and an unencoded triple is another text.
  const whole = byStyle.filter(
    ({ style, name, allowReserved, sample }) =>
      !(style === "cookie" && !/^[\w-]+$/.test([name, ...sample.keys].join(""))) &&
      !(allowReserved && /%[0-9a-f]{2}/i.test(JSON.stringify(sample.value))),
  );
  const deep = fc
    .tuple(byStyle, objectSample(nestedSample(text, key, 1), key, 3))
    .map(([one, sample]): DrawnParameter => ({
      ...one,
      sample,
      style: "deepObject",
      explode: true,
      allowReserved: false,
    }));
  const json = fc
    .tuple(byStyle, nestedSample(text, key, 1))
    .map(([one, sample]): DrawnParameter => ({
      ...one,
      sample,
      style: place === "path" || place === "header" ? "simple" : "form",
      explode: false,
      allowReserved: false,
      isJson: true,
    }));
  return fc.oneof(
    { weight: 10, arbitrary: whole },
    { weight: 1, arbitrary: json },
    ...(place === "query" ? [{ weight: 2, arbitrary: deep }] : []),
  );
}

const pathText = fc.constantFrom("/", "/x/", ":", "/a@", "!", "/é-");

function createParameters(version: Version): fc.Arbitrary<DrawnParameter[]> {
  const inPath = styled("path", version).filter(
    ({ name, isJson, sample }) => !/[{}/\\%.]/.test(name) && (isJson || !isNothing(sample.value)),
  );
  const elsewhere = fc.oneof(
    { weight: 4, arbitrary: styled("query", version) },
    { weight: 2, arbitrary: styled("header", version) },
    { weight: 2, arbitrary: styled("cookie", version) },
  );
  const selector = (one: DrawnParameter): string =>
    `${one.in} ${one.in === "header" ? one.name.toLowerCase() : one.name}`;
  return fc
    .tuple(
      fc.uniqueArray(inPath, { selector, maxLength: 3 }),
      fc.uniqueArray(elsewhere, { selector, maxLength: 5 }),
    )
    .map((all) => all.flat())
    .filter((all) => !all.some((one) => all.some((other) => areMixed(one, other))));
}

/**
 * True for two objects that both spread the same key over one place: see the test of their refusal.
 */
function areMixed(one: DrawnParameter, other: DrawnParameter): boolean {
  const isSpread = ({ sample, explode, isJson, style }: DrawnParameter): boolean =>
    sample.shape === "object" && explode && !isJson && style !== "deepObject";
  if (one === other || one.in !== other.in || !["query", "cookie"].includes(one.in)) return false;
  if (!isSpread(one) || !isSpread(other)) return false;
  return one.sample.keys.some((name) => other.sample.keys.includes(name));
}

function jsonBody(): fc.Arbitrary<DrawnBody> {
  const member = nestedSample(anyText, key, 2);
  const sample = fc.oneof(
    { weight: 6, arbitrary: objectSample(member, names, 5) },
    { weight: 1, arbitrary: member },
  );
  const mediaType = fc.constantFrom("application/json", "application/vnd.a+json");
  return fc.record({
    mediaType,
    required: fc.boolean(),
    sample,
    fields: fc.constant([]),
    passed: fc.nat(5).map((one) => one > 0),
  });
}

function formBody(mediaType: string): fc.Arbitrary<DrawnBody> {
  const isMultipart = mediaType.startsWith("multipart/");
  const text = textAt("query");
  const scalar = scalarSample(text);
  const name = isMultipart ? names.filter((one) => !/[%\\]/.test(one)) : names;
  const field = fc
    .record({
      name,
      sample: fc.oneof(
        { weight: 4, arbitrary: scalar },
        { weight: 2, arbitrary: listSample(text) },
        { weight: 1, arbitrary: objectSample(scalar, name, 3) },
        ...(isMultipart ? [{ weight: 3, arbitrary: fileSample() }] : []),
      ),
      required: fc.boolean(),
      passed: fc.boolean(),
      odd: fc.nat(30).map((one) => one === 0),
      style: fc.nat(10),
      explode: fc.boolean(),
    })
    .map(({ style, explode, odd, ...drawn }): DrawnField => {
      const required = drawn.required && (odd || !isNothing(drawn.sample.value));
      const one = { ...drawn, required };
      const all = styles.query[one.sample.shape];
      const own = all[style];
      // In 3.0 only url-encoded forms have styles (OpenAPI 3.0.4, "Encoding Object").
      if (own === undefined || isMultipart) return one;
      const isExploded = own === "deepObject" || (explode && own === "form");
      return { ...one, encoding: { style: own, explode: isExploded } };
    });
  return fc
    .record({
      fields: fc.uniqueArray(field, { selector: (one) => one.name, minLength: 1, maxLength: 5 }),
      required: fc.boolean(),
      passed: fc.nat(5).map((one) => one > 0),
    })
    .map(({ fields, ...one }): DrawnBody => {
      const required = fields.filter((field) => field.required).map((field) => field.name);
      const passed = fields.filter((field) => field.required || field.passed);
      const sample: Sample = {
        shape: "object",
        value: Object.fromEntries(passed.map((field) => [field.name, field.sample.value])),
        keys: fields.map((field) => field.name),
        members: fields,
        isOpen: false,
        isFile: false,
        declare: (to: Target): JsonObject => ({
          type: "object",
          properties: Object.fromEntries(
            fields.map((field): [string, JsonValue] => [field.name, field.sample.declare(to)]),
          ),
          ...(required.length === 0 ? {} : { required }),
        }),
      };
      return { ...one, mediaType, fields, sample };
    });
}

const versions: readonly Version[] = ["3.0.3", "3.1.1", "3.2.0"];

/** Operations of every kind, with the values of each. */
export const drawnOperation: fc.Arbitrary<DrawnOperation> = fc.oneof(
  ...versions.map((version) => {
    const body = fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: jsonBody() },
      { weight: 2, arbitrary: formBody("application/x-www-form-urlencoded") },
      { weight: 2, arbitrary: formBody("multipart/form-data") },
    );
    return fc
      .record({
        method: fc.constantFrom("post", "put", "patch", "delete", "get"),
        texts: fc.array(pathText, { minLength: 4, maxLength: 4 }),
        parameters: createParameters(version),
        body,
        host: fc.oneof(
          { weight: 3, arbitrary: fc.constant([]) },
          {
            weight: 1,
            arbitrary: fc.array(fc.constantFrom<Host>("none", "hides", "fixes"), { maxLength: 8 }),
          },
        ),
      })
      .map(({ body: given, ...one }): DrawnOperation => ({
        ...one,
        version,
        method: given === undefined ? one.method : one.method === "get" ? "post" : one.method,
        ...(given === undefined ? {} : { body: given }),
      }));
  }),
);
