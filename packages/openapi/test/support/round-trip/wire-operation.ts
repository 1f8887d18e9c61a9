import type { JsonValue } from "@toolweave/core";
import type { Recorded } from "@toolweave/test-support/recording-server";
import type { DrawnField, DrawnOperation, DrawnParameter } from "./random-operation.ts";
import type { Sample } from "./random-schema.ts";
import { readForm } from "./wire-body.ts";
import { readParameter, type Shape, type WireParameter } from "./wire-parameter.ts";

/** The values that a server with the document reads. `undefined`: it was not sent. */
export interface ReadOperation {
  readonly parameters: ReadonlyMap<DrawnParameter, unknown>;
  /** A member that is `undefined` was not sent. */
  readonly body: unknown;
}

/** A value among `name=value` pairs. */
interface Paired {
  readonly name: string;
  readonly style: string;
  readonly explode: boolean;
  readonly shape: Shape;
  readonly sample: Sample;
  readonly isJson: boolean;
}

type Pair = readonly [name: string, raw: string];

/** Reads a request by the declaration, and throws for all undeclared parts. */
export async function readOperation(
  operation: DrawnOperation,
  request: Recorded,
): Promise<ReadOperation> {
  const { method, parameters } = operation;
  if (request.method.toLowerCase() !== method) throw new Error(`odd method ${request.method}`);
  const at = (place: string): DrawnParameter[] => parameters.filter((one) => one.in === place);
  const found = new Map<DrawnParameter, unknown>([
    ...readPath(operation, request.path),
    ...readHeaders(at("header"), request),
    ...inTurn(at("query"), split(request.query, "&"), "query"),
    ...inTurn(at("cookie"), split(request.headers["cookie"] ?? "", "; "), "cookie"),
  ]);
  return { parameters: found, body: await readBody(operation, request) };
}

function inTurn(
  parameters: readonly DrawnParameter[],
  pairs: readonly Pair[],
  place: "query" | "cookie",
): [DrawnParameter, unknown][] {
  const values = readPairs(parameters.map(paired), pairs, place);
  return parameters.map((one, index) => [one, values[index]]);
}

function paired(parameter: DrawnParameter): Paired & Pick<DrawnParameter, "in"> {
  return { ...parameter, shape: parameter.isJson ? "text" : parameter.sample.shape };
}

function* readPath(
  { texts, parameters }: DrawnOperation,
  path: string,
): Generator<[DrawnParameter, unknown]> {
  const inPath = parameters.filter((one) => one.in === "path");
  if (inPath.length === 0) {
    if (path !== "/p") throw new Error(`odd path ${path}`);
    return;
  }
  if (!path.startsWith("/p/")) throw new Error(`odd path ${path}`);
  let rest = path.slice(3);
  for (const [index, parameter] of inPath.entries()) {
    const isLast = index === inPath.length - 1;
    const between = encodeURI(texts[index + 1] as string);
    const end = isLast ? rest.length : rest.indexOf(between);
    if (end === -1) throw new Error(`no ${between} in ${rest}`);
    const segment = rest.slice(0, end);
    if (/[/:@!]/.test(segment)) throw new Error(`${segment} is more than one value`);
    rest = isLast ? "" : rest.slice(end + between.length);
    yield [parameter, single(paired(parameter), { segment, query: "", headers: {} })];
  }
}

function* readHeaders(
  parameters: readonly DrawnParameter[],
  { headers }: Recorded,
): Generator<[DrawnParameter, unknown]> {
  const known = new Set(parameters.map(({ name }) => name.toLowerCase()));
  for (const name of Object.keys(headers)) {
    if (!known.has(name) && !sentByEveryone.has(name)) throw new Error(`odd header ${name}`);
  }
  for (const one of parameters)
    yield [one, single(paired(one), { segment: "", query: "", headers })];
}

const sentByEveryone = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "cookie",
  "host",
  "transfer-encoding",
  "user-agent",
]);

/** Assigns each pair to the one value that it belongs to. */
function readPairs(
  all: readonly Paired[],
  pairs: readonly Pair[],
  place: "query" | "cookie",
): unknown[] {
  const own = new Map<Paired, Pair[]>(all.map((one) => [one, []]));
  for (const pair of pairs) {
    const owner = findOwner(all, pair[0]);
    if (owner === undefined) throw new Error(`nothing declares ${pair.join("=")}`);
    own.get(owner)?.push(pair);
  }
  return all.map((one) => {
    const its = own.get(one) as Pair[];
    const isRepeated = one.explode && one.shape === "list";
    if (!isRepeated && new Set(its.map(([name]) => name)).size < its.length)
      throw new Error(`${one.name} was sent twice`);
    const query = its.map((pair) => pair.join("=")).join(place === "query" ? "&" : "; ");
    return single({ ...one, in: place }, { segment: "", query, headers: { cookie: query } });
  });
}

/** A declared name takes precedence over the keys of an object. */
function findOwner(all: readonly Paired[], raw: string): Paired | undefined {
  const nameFor = ({ style }: Paired): string => (style === "cookie" ? raw : decoded(raw));
  const isSpread = ({ explode, shape, style }: Paired): boolean =>
    shape === "object" && explode && style !== "deepObject";
  return (
    all.find((one) => !isSpread(one) && one.style !== "deepObject" && nameFor(one) === one.name) ??
    all.find((one) => one.style === "deepObject" && nameFor(one).startsWith(`${one.name}[`)) ??
    all.find((one) => isSpread(one) && one.sample.keys.includes(nameFor(one)))
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

function single(
  parameter: WireParameter & { readonly isJson: boolean },
  request: Parameters<typeof readParameter>[1],
): unknown {
  const value = readParameter(parameter, request, []);
  return parameter.isJson && value !== undefined ? JSON.parse(value as string) : value;
}

function split(text: string, separator: string): Pair[] {
  if (text === "") return [];
  return text.split(separator).map((pair) => {
    const end = pair.indexOf("=");
    return end === -1 ? [pair, ""] : [pair.slice(0, end), pair.slice(end + 1)];
  });
}

async function readBody({ body }: DrawnOperation, request: Recorded): Promise<unknown> {
  const contentType = request.headers["content-type"];
  if (contentType === undefined) {
    if (request.body.length > 0) throw new Error("a body without a type");
    return undefined;
  }
  if (body === undefined) throw new Error(`an undeclared body of ${contentType}`);
  const [type = ""] = contentType.split(";");
  if (type !== body.mediaType) throw new Error(`odd type ${type}`);
  if (type.endsWith("json")) return JSON.parse(request.body.toString()) as JsonValue;
  if (type.startsWith("multipart/")) return readParts(body.fields, contentType, request.body);
  const fields = body.fields.map(toPairedField);
  const pairs = split(request.body.toString(), "&").map(([name, raw]): Pair => [
    name.replaceAll("+", "%20"),
    raw.replaceAll("+", "%20"),
  ]);
  const values = readPairs(fields, pairs, "query");
  return Object.fromEntries(fields.map(({ name }, index) => [name, values[index]]));
}

/**
 * A field is written like a query parameter, or by its type: a list is repeated, an object is JSON.
 */
function toPairedField({ name, sample, encoding }: DrawnField): Paired {
  const isJson = encoding === undefined && sample.shape === "object";
  return {
    name,
    sample,
    isJson,
    shape: isJson ? "text" : sample.shape,
    style: encoding?.style ?? "form",
    explode: encoding?.explode ?? true,
  };
}

async function readParts(
  fields: readonly DrawnField[],
  contentType: string,
  body: Buffer,
): Promise<Record<string, unknown>> {
  const parts = await readForm(contentType, body);
  const odd = parts.find(({ name }) => !fields.some((field) => field.name === name));
  if (odd !== undefined) throw new Error(`the part ${odd.name} is not declared`);
  return Object.fromEntries(
    fields.map(({ name, sample }) => {
      const own = parts.filter((part) => part.name === name);
      if (own.some(({ isFile }) => isFile !== sample.isFile)) throw new Error(`odd part ${name}`);
      const values = own.map(({ bytes }) => bytes.toString(sample.isFile ? "base64" : "utf8"));
      if (sample.shape === "list") return [name, values.length === 0 ? undefined : values];
      if (values.length > 1) throw new Error(`${name} was sent twice`);
      const [value] = values;
      return [name, sample.shape === "object" && value !== undefined ? JSON.parse(value) : value];
    }),
  );
}
