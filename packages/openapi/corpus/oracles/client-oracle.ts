import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import { load } from "js-yaml";
import type { Recorded } from "@toolweave/test-support/recording-server";
import { readForm, type WireField } from "../../test/support/round-trip/wire-body.ts";
import {
  toBreakdown,
  type Objection,
  type Oracle,
  type RequestValues,
  type Verdict,
} from "./oracle.ts";

// A CommonJS module without types.
const require = createRequire(import.meta.url);

interface BuiltRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const client = require("swagger-client") as {
  buildRequest(options: object): BuiltRequest;
};

type Members = Readonly<Record<string, unknown>>;

/** The values of a call, with files in the body. */
interface BuilderValues extends Pick<RequestValues, "parameters"> {
  readonly body?: unknown;
}

/**
 * The requests that swagger-client, the builder behind Swagger UI, makes of the same values. An objection is a part of
 * the request that differs. References of parameters and bodies are resolved here, because it wants a resolved document;
 * the schemas behind them do not change the serialization of a value.
 */
export function createClientOracle(file: string): Oracle {
  const root = load(readFileSync(file, "utf8")) as Members;
  return {
    name: "swagger-client",
    async check(method, path, request, values): Promise<Verdict> {
      if (values === undefined) return { cannot: "the values of the call are unknown" };
      const operation = findOperation(root, method, path);
      if (operation === undefined) return { cannot: "an operation of another file or method" };
      if (values.parameters.some((one) => one.in === "querystring")) {
        return { cannot: "a parameter that is the whole query" };
      }
      try {
        const parts = await readParts(request);
        const built = build(root, path, operation, request, withFiles(values, parts));
        return await compare(request, parts, built, values);
      } catch (error) {
        return toBreakdown(error);
      }
    },
  };
}

function findOperation(root: Members, method: string, path: string): Members | undefined {
  const item = resolve((root["paths"] as Members)[path], root) as Members | undefined;
  const own = resolve(item?.[method.toLowerCase()], root) as Members | undefined;
  if (item === undefined || own === undefined) return undefined;
  const all = [item["parameters"] ?? [], own["parameters"] ?? []].flat();
  const declared = new Map<string, Members>();
  for (const one of all) {
    const parameter = resolve(one, root) as Members | undefined;
    if (parameter === undefined) return undefined;
    declared.set(`${String(parameter["in"])} ${String(parameter["name"])}`, parameter);
  }
  for (const [, name = ""] of path.matchAll(/\{([^{}]+)\}/g)) {
    // A name that is not declared is a text for us, and nothing for it.
    const key = `path ${name}`;
    if (!declared.has(key)) declared.set(key, { name, in: "path", required: true, ...anyText });
  }
  const body = resolve(own["requestBody"], root);
  return {
    ...own,
    operationId: "op",
    security: [],
    servers: undefined,
    parameters: [...declared.values()],
    ...(body === undefined ? {} : { requestBody: body }),
  };
}

const anyText = { type: "string", schema: { type: "string" } };

/** Follows references within the document; `undefined` for one that leads to another file. */
function resolve(value: unknown, root: Members): unknown {
  const reference = (value as Members | undefined)?.["$ref"];
  if (typeof reference !== "string") return value;
  if (!reference.startsWith("#/")) return undefined;
  const target = reference
    .slice(2)
    .split("/")
    .map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((at, token) => (at as Members | undefined)?.[token], root);
  return resolve(target, root);
}

/** The parts of multipart/form-data; undefined for another body. */
async function readParts({ headers, body }: Recorded): Promise<readonly WireField[] | undefined> {
  const { "content-type": type = "" } = headers;
  return type.startsWith("multipart/form-data") ? await readForm(type, body) : undefined;
}

/** The values with a file, as a page passes it, for each property that was sent as one: we have its bytes as base64. */
function withFiles(values: BuilderValues, parts: readonly WireField[] = []): BuilderValues {
  const { body } = values;
  const files = new Set(parts.filter(({ isFile }) => isFile).map(({ name }) => name));
  if (files.size === 0 || typeof body !== "object" || body === null) return values;
  const toFile = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(toFile);
    return typeof value === "string" ? new Blob([Buffer.from(value, "base64")]) : value;
  };
  const members = Object.entries(body).map(([name, value]) => [
    name,
    files.has(name) ? toFile(value) : (value as unknown),
  ]);
  return { ...values, body: Object.fromEntries(members) as object };
}

function build(
  root: Members,
  path: string,
  operation: Members,
  { headers }: Recorded,
  { parameters, body }: BuilderValues,
): BuiltRequest {
  const { swagger, components, definitions } = root;
  const version =
    swagger === undefined
      ? // It knows the fields of 3.2 that are those of 3.1.
        {
          openapi: String(root["openapi"]).replace(/^3\.2\..*/, "3.1.0"),
          servers: [{ url: origin }],
        }
      : { swagger, host: "oracle.example", schemes: ["http"], definitions };
  const given = parameters.map(
    ({ in: place, name, value }) => [`${place}.${name}`, value] as const,
  );
  const fields = (operation["parameters"] as readonly Members[]).filter(
    (one) => one["in"] === "formData" || one["in"] === "body",
  );
  const legacy = fields.flatMap(({ in: place, name }): (readonly [string, unknown])[] => {
    const value = place === "body" ? body : (body as Members | undefined)?.[String(name)];
    return value === undefined ? [] : [[`${String(place)}.${String(name)}`, value]];
  });
  const contentType = headers["content-type"]?.split(";", 1)[0];
  return client.buildRequest({
    spec: {
      ...version,
      info: { title: "", version: "1" },
      components,
      paths: { [path]: { post: operation } },
    },
    operationId: "op",
    parameters: Object.fromEntries([...given, ...legacy]),
    ...(contentType === undefined ? {} : { requestContentType: contentType }),
    ...(body === undefined ? {} : { requestBody: body }),
  });
}

const origin = "http://oracle.example";

async function compare(
  sent: Recorded,
  parts: readonly WireField[] | undefined,
  built: BuiltRequest,
  { parameters, body }: RequestValues,
): Promise<Verdict> {
  const objections: Objection[] = [];
  const object = (place: string, ours: string | undefined, theirs: string | undefined): void => {
    if (ours === theirs) return;
    const message = `sent ${JSON.stringify(ours)}, it makes ${JSON.stringify(theirs)}`;
    objections.push({ rule: `${place} [differs]`, message });
  };
  // What follows is not sent.
  const [url = ""] = built.url.slice(origin.length).split("#", 1);
  const [path = "", query = ""] = url.split("?", 2);
  object("path", normalize(sent.path), normalize(path));
  comparePairs("query", toPairs(sent.query), toPairs(query), object);
  const headers = new Map(
    Object.entries(built.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  for (const { in: place, name } of parameters) {
    const lower = name.toLowerCase();
    // It leaves numbers to `fetch`, which makes texts of them.
    const made = headers.has(lower) ? String(headers.get(lower)) : undefined;
    if (place === "header") object(`header.${lower}`, sent.headers[lower], made);
  }
  object("cookie", normalize(sent.headers["cookie"]), normalize(headers.get("cookie")));
  const contentType = sent.headers["content-type"] ?? "";
  if (body === undefined) return objections;
  if (parts !== undefined) {
    comparePairs("body", toPartPairs(parts), toPartPairs(await readFormData(built.body)), object);
  } else if (contentType.startsWith("application/x-www-form-urlencoded")) {
    comparePairs("body", toPairs(sent.body.toString()), toPairs(String(built.body)), object);
  } else if (/^application\/(?:[^;]+\+)?json\b/.test(contentType)) {
    const theirs: unknown = typeof built.body === "string" ? parse(built.body) : built.body;
    if (!isDeepStrictEqual(parse(sent.body.toString()), theirs)) {
      object("body", sent.body.toString(), JSON.stringify(theirs));
    }
  }
  return objections;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Compares the pairs of each name: their order among other names has no meaning. */
function comparePairs(
  place: string,
  own: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
  object: (place: string, ours: string | undefined, theirs: string | undefined) => void,
): void {
  for (const name of new Set([...own.keys(), ...other.keys()])) {
    object(`${place}.${name}`, own.get(name), other.get(name));
  }
}

function toPairs(query: string): ReadonlyMap<string, string> {
  const pairs = query.split("&").filter((one) => one !== "");
  const texts = pairs.map((pair) => normalize(pair.replaceAll("+", "%20")) as string);
  return group(
    texts.map((text) => [decodeURIComponent(text.split("=", 1)[0] as string), text]),
    "&",
  );
}

type Part = Pick<WireField, "name" | "isFile" | "bytes">;

function toPartPairs(parts: readonly Part[]): ReadonlyMap<string, string> {
  return group(
    parts.map(({ name, isFile, bytes }) => [
      name,
      `${name}=${isFile ? "file " : ""}${bytes.toString()}`,
    ]),
    " | ",
  );
}

async function readFormData(body: unknown): Promise<readonly Part[]> {
  if (!(body instanceof FormData)) return [];
  const parts = Array.from(body, async ([name, value]): Promise<Part> => {
    const isFile = typeof value !== "string";
    return { name, isFile, bytes: Buffer.from(isFile ? await value.bytes() : value) };
  });
  return await Promise.all(parts);
}

/** The texts of each name before brackets, in their order. */
function group(
  pairs: readonly (readonly [name: string, text: string])[],
  separator: string,
): ReadonlyMap<string, string> {
  const groups = new Map<string, string>();
  for (const [name, text] of pairs) {
    const [root = ""] = name.split("[", 1);
    const before = groups.get(root);
    groups.set(root, before === undefined ? text : `${before}${separator}${text}`);
  }
  return groups;
}

/** Decodes unreserved characters, and writes the others in one case (RFC 3986 section 6.2.2). */
function normalize(text: string | undefined): string | undefined {
  return text?.replace(/%[0-9a-f]{2}/gi, (triple) => {
    const character = String.fromCharCode(Number.parseInt(triple.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : triple.toUpperCase();
  });
}
