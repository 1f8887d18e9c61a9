import { setOwn } from "../document/record.ts";
import type { JsonObject, JsonValue } from "@toolweave/core";
import { noFiles, type ArtifactFiles } from "../body/artifact-files.ts";
import type { ArgumentLayout, BodyArguments } from "../arguments/argument-layout.ts";
import { type ParameterArgument, parameterWriter } from "../parameters/serialize-parameter.ts";
import { choicePlan } from "./body-choice-plan.ts";
import { pathTemplate } from "../parameters/path-template.ts";
import type { EncodedBody } from "../body/body-writer.ts";
import { reservedKeys } from "../parameters/reserved-names.ts";
import type { Server } from "./servers.ts";
import type { ParameterWriter } from "../parameters/style-writer.ts";
import { isWellFormed, unrepresentableValue } from "../parameters/unrepresentable.ts";

/** A request as the arguments make it; nothing of the host's own is in it. */
export interface PlannedRequest {
  readonly method: string;
  readonly origin: string;
  /** The path, with the server's. */
  readonly path: string;
  /** Without `?`; may be empty. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Record<string, string>;
  /** The pairs of the cookie header; may be empty. */
  readonly cookie: string;
  readonly body?: string | Uint8Array;
}

/**
 * Makes a request of arguments. Throws `ToolError` `invalid_arguments` for a value that cannot be sent.
 *
 * @param files what is stored under the keys of artifacts among them. Default: nothing, for a request that is shown.
 */
export type RequestPlan = (args: JsonObject, files?: ArtifactFiles) => PlannedRequest;

interface Placed {
  readonly argument: string;
  readonly name: string;
  readonly write: ParameterWriter;
}

/**
 * Compiles an operation's requests, once; a plan is applied to each call.
 *
 * @throws Error when the path would not arrive as it is shown.
 */
export function requestPlan(
  method: string,
  path: string,
  server: Server,
  layout: ArgumentLayout,
  accept: string,
): RequestPlan {
  const template = pathTemplate(path, layout.parameters);
  assertPathUnchanged(server, template.example);
  const at = (...locations: readonly string[]): Placed[] =>
    layout.parameters
      .filter(({ parameter }) => locations.includes(parameter.in))
      .map((one) => placed(one, layout));
  const inQuery = at("query", "querystring");
  const inHeaders = at("header");
  const inCookies = at("cookie");
  const encodeBody = layout.body === undefined ? undefined : bodyPlan(layout.body);
  const { origin } = server;

  const apply = (args: JsonObject, files: ArtifactFiles): PlannedRequest => {
    const headers: Record<string, string> = { accept };
    for (const { argument, name, write } of inHeaders) {
      const text = written(args, argument, write);
      if (text !== undefined) setOwn(headers, name, text);
    }
    const encoded = encodeBody?.(args, files);
    if (encoded !== undefined) headers["content-type"] = encoded.contentType;
    return {
      method,
      origin,
      path: server.path + template.expand(args),
      query: joined(template.query, inQuery, args, "&"),
      headers,
      cookie: joined("", inCookies, args, "; "),
      ...(encoded === undefined ? {} : { body: encoded.body }),
    };
  };

  return (args, files = noFiles) => {
    try {
      return apply(args, files);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      const broken = Object.keys(args).find((name) => !isWellFormedValue(args[name] as JsonValue));
      throw unrepresentableValue(
        broken ?? "arguments",
        "holds half of a surrogate pair, which is no character: send whole ones.",
      );
    }
  };
}

/** False when a text in it holds half of a surrogate pair. */
function isWellFormedValue(value: JsonValue): boolean {
  if (typeof value === "string") return isWellFormed(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([name, member]) => isWellFormed(name) && isWellFormedValue(member),
  );
}

/** What is approved is the text; what is requested is what the URL parser makes of it. Values are encoded, so that once is enough. */
function assertPathUnchanged({ origin, path }: Server, example: string): void {
  const shown = path + example;
  const url = URL.parse(origin + shown);
  if (url?.origin === origin && url.pathname === shown && url.search + url.hash === "") return;
  throw new Error("its path behind its server's would not arrive as it is written");
}

function placed({ argument, parameter }: ParameterArgument, { reserved }: ArgumentLayout): Placed {
  const { name, in: location } = parameter;
  return {
    argument,
    name: location === "header" ? name.toLowerCase() : name,
    write: parameterWriter(parameter, argument, reservedKeys(parameter, reserved)),
  };
}

function joined(
  first: string,
  places: readonly Placed[],
  args: JsonObject,
  separator: string,
): string {
  let all = first;
  for (const { argument, write } of places) {
    const text = written(args, argument, write);
    if (text === undefined || text === "") continue;
    all = all === "" ? text : all + separator + text;
  }
  return all;
}

function written(args: JsonObject, argument: string, write: ParameterWriter): string | undefined {
  return Object.hasOwn(args, argument) ? write(args[argument] as JsonValue) : undefined;
}

function bodyPlan(
  body: BodyArguments,
): (args: JsonObject, files: ArtifactFiles) => EncodedBody | undefined {
  const { argument, properties, required, choice } = body;
  if (choice !== undefined) return choicePlan(body, choice);
  if (properties === undefined) {
    const write = body.format.writer(body.media, argument);
    return (args, files) =>
      Object.hasOwn(args, argument) ? write(args[argument] as JsonValue, files) : undefined;
  }
  const names = new Map(properties.map((one) => [one.property, one.argument]));
  const argumentOf = (field: string): string => names.get(field) ?? field;
  const write = body.format.writer(body.media, argument, argumentOf);
  return (args, files) => {
    const value: Record<string, JsonValue> = {};
    let empty = true;
    for (const place of properties) {
      if (!Object.hasOwn(args, place.argument)) continue;
      setOwn(value, place.property, args[place.argument]);
      empty = false;
    }
    return empty && !required ? undefined : write(value, files);
  };
}
