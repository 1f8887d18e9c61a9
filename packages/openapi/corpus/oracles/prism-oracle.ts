import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import type { IHttpRequest } from "@stoplight/prism-http";
import { load } from "js-yaml";
import type { Recorded } from "@toolweave/test-support/recording-server";
import type { DocumentOperation } from "./contender.ts";
import { toBreakdown, toRule, type Oracle, type Verdict } from "./oracle.ts";

// CommonJS modules without typed entries.
const require = createRequire(import.meta.url);

type HttpOperation = object & { readonly method: string; readonly path: string };

interface Diagnostic {
  readonly message: string;
  readonly code?: string | number;
  readonly path?: readonly string[];
  readonly severity: number;
}

/** An `Either` of fp-ts: errors are on the left. */
type Answer = { readonly left: readonly Diagnostic[] } | { readonly right: unknown };

const { getHttpOperationsFromSpec } = require("@stoplight/prism-http") as {
  getHttpOperationsFromSpec(path: string): Promise<readonly HttpOperation[]>;
};
const { validateInput } = require("@stoplight/prism-http/dist/validator") as {
  validateInput(question: { resource: HttpOperation; element: IHttpRequest }): Answer;
};
const { transformOas3Operation } = require("@stoplight/http-spec/oas3/operation") as {
  transformOas3Operation(options: object): HttpOperation;
};
const { OPERATION_CONFIG } = require("@stoplight/http-spec/oas") as { OPERATION_CONFIG: object };
const { bundleTarget } = require("@stoplight/json") as {
  bundleTarget(options: object): HttpOperation;
};

/**
 * Prism's entry point, `getHttpOperationsFromSpec`, inlines a document first, which takes minutes
 * for these. Their operations are converted one by one with the same converter, from the original
 * document.
 */
const convertedOneByOne: ReadonlySet<string> = new Set(["stripe-2023-09.yaml", "figma-3.1.yaml"]);

/** Prism's validation of requests, with the operations that it has found in the document. */
export interface PrismOracle extends Oracle {
  readonly operations: readonly DocumentOperation[];
}

/** Prism's validation of requests, by the file of a document that only its own parts have read. */
export async function createPrismOracle(file: string): Promise<PrismOracle> {
  const { operations, find } = convertedOneByOne.has(basename(file))
    ? oneByOne(file)
    : await allAtOnce(file);
  return {
    name: "prism",
    operations,
    check(method, path, request): Verdict {
      const resource = find(method, path) ?? renamed(file, method, path);
      if (resource === undefined) return { cannot: "an operation that it does not see" };
      try {
        const answer = validateInput({ resource, element: toPrismRequest(request) });
        if ("right" in answer) return [];
        return answer.left
          .filter(({ severity }) => severity === 0)
          .map(({ message, code, path: at = [] }) => ({ rule: toRule(at, code), message }));
      } catch (error) {
        return toBreakdown(error);
      }
    },
  };
}

/** The parsed operations of a document. */
interface Reading {
  readonly operations: readonly DocumentOperation[];
  readonly find: (method: string, path: string) => HttpOperation | undefined;
}

type Members = Readonly<Record<string, unknown>>;

interface Parsed {
  readonly paths: Readonly<Record<string, Members>>;
}

async function allAtOnce(file: string): Promise<Reading> {
  const read = await getHttpOperationsFromSpec(file);
  const byKey = new Map(read.map((one) => [`${one.method} ${one.path}`, one]));
  return {
    operations: read.map(({ method, path }) => ({ method: method.toUpperCase(), path })),
    find: (method, path) => byKey.get(`${method.toLowerCase()} ${path}`),
  };
}

function oneByOne(file: string): Reading {
  const document = parsed(file);
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    ["get", "post", "put", "patch", "delete"]
      .filter((method) => method in item)
      .map((method) => ({ method: method.toUpperCase(), path })),
  );
  return { operations, find: (method, path) => converted(document, method.toLowerCase(), path) };
}

/**
 * Prism supports the methods of OpenAPI 3.1. An operation of 3.2's `query` and
 * `additionalOperations` is passed to it as a `post`; the method itself is not checked.
 */
function renamed(file: string, method: string, path: string): HttpOperation | undefined {
  const document = parsed(file);
  const { additionalOperations, query, ...item } = document.paths[path] ?? {};
  const operation = method === "QUERY" ? query : (additionalOperations as Members)?.[method];
  if (operation === undefined) return undefined;
  return converted({ ...document, paths: { [path]: { ...item, post: operation } } }, "post", path);
}

function converted(document: Parsed, method: string, name: string): HttpOperation | undefined {
  if (document.paths[name]?.[method] === undefined) return undefined;
  const operation = transformOas3Operation({ document, name, method, config: OPERATION_CONFIG });
  return bundleTarget({
    document: { ...document, __target__: operation },
    path: "#/__target__",
    cloneDocument: false,
  });
}

function parsed(file: string): Parsed {
  return load(readFileSync(file, "utf8")) as Parsed;
}

/** A request as Prism's own server passes it to the validation. */
function toPrismRequest({ method, path, query, headers, body }: Recorded): IHttpRequest {
  const url = new URL(`http://oracle.example${path}?${query}`);
  const values: Record<string, string | string[]> = {};
  for (const key of url.searchParams.keys()) {
    const all = url.searchParams.getAll(key);
    values[key] = all.length === 1 ? (all[0] as string) : all;
  }
  return {
    method: method.toLowerCase() as IHttpRequest["method"],
    url: { path: url.pathname, query: values },
    headers: headers as Record<string, string>,
    body: parseBody(headers["content-type"] ?? "", body),
  };
}

function parseBody(contentType: string, body: Buffer): unknown {
  if (body.length === 0) return null;
  const text = body.toString();
  return /^application\/(?:[^;]+\+)?json\b/i.test(contentType) ? JSON.parse(text) : text;
}
