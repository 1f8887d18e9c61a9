import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "@toolweave/core";
import { load } from "js-yaml";
import type { Recorded } from "@toolweave/test-support/recording-server";
import { specs } from "../documents.ts";
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

/**
 * The requests that swagger-client, the builder behind Swagger UI, makes of the same values. An objection is a part of
 * the request that differs. References of parameters and bodies are resolved here, because it wants a resolved document;
 * the schemas behind them do not change the serialization of a value.
 */
export function createClientOracle(document: string): Oracle {
  const text = readFileSync(specs + document, "utf8");
  const root = load(text) as Members;
  return {
    name: "swagger-client",
    check(method, path, request, values): Verdict {
      if (values === undefined) return { cannot: "the values of the call are unknown" };
      const operation = findOperation(root, method, path);
      if (operation === undefined) return { cannot: "an operation of another file or method" };
      if (values.parameters.some((one) => one.in === "querystring")) {
        return { cannot: "a parameter that is the whole query" };
      }
      try {
        return compare(request, build(root, path, operation, request, values), values);
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

function build(
  root: Members,
  path: string,
  operation: Members,
  { headers }: Recorded,
  { parameters, body }: RequestValues,
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
  const legacy = fields.flatMap(({ in: place, name }): (readonly [string, JsonValue])[] => {
    const value =
      place === "body"
        ? body
        : (body as Readonly<Record<string, JsonValue>> | undefined)?.[String(name)];
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

function compare(
  sent: Recorded,
  built: BuiltRequest,
  { parameters, body }: RequestValues,
): Verdict {
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
  comparePairs("query", sent.query, query, object);
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
  if (contentType.startsWith("application/x-www-form-urlencoded")) {
    comparePairs("body", sent.body.toString(), String(built.body), object);
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
  ours: string,
  theirs: string,
  object: (place: string, ours: string | undefined, theirs: string | undefined) => void,
): void {
  const [own, other] = [toPairs(ours), toPairs(theirs)];
  for (const name of new Set([...own.keys(), ...other.keys()])) {
    object(`${place}.${name}`, own.get(name), other.get(name));
  }
}

function toPairs(query: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const pair of query.split("&").filter((one) => one !== "")) {
    const text = normalize(pair.replaceAll("+", "%20")) ?? "";
    const name = decodeURIComponent(text.split("=", 1)[0] as string).split("[", 1)[0] as string;
    const before = pairs.get(name);
    pairs.set(name, before === undefined ? text : `${before}&${text}`);
  }
  return pairs;
}

/** Decodes unreserved characters, and writes the others in one case (RFC 3986 section 6.2.2). */
function normalize(text: string | undefined): string | undefined {
  return text?.replace(/%[0-9a-f]{2}/gi, (triple) => {
    const character = String.fromCharCode(Number.parseInt(triple.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : triple.toUpperCase();
  });
}
