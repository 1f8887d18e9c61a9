import { setOwn, isJsonObject } from "../document/record.ts";
import type { JsonObject, JsonValue } from "@toolweave/core";
import {
  noFiles,
  type ArtifactFiles,
  type EncodedBody,
  type BodyWriter,
} from "../body/body-writer.ts";
import type { ArgumentLayout, BodyArguments } from "../arguments/argument-layout.ts";
import {
  createParameterWriter,
  type ParameterArgument,
} from "../parameters/serialize-parameter.ts";
import { compilePathTemplate } from "../parameters/path-template.ts";
import { getReservedKeys } from "../parameters/reserved-names.ts";
import type { Server } from "./servers.ts";
import type { ParameterWriter } from "../parameters/style-writer.ts";
import { isWellFormed, unrepresentableValueError } from "../parameters/unrepresentable.ts";
import { artifactKey } from "@toolweave/core/stores";
import type { BodyChoice, BodyForm } from "../arguments/body-choice.ts";
import { collectInPlaceSchemas, mayBe } from "../schema/resolve-schema.ts";
import { toBodyFile } from "../body/binary-content.ts";
import { isInRange } from "../document/media-type.ts";
import { isFileBody } from "../body/body-formats.ts";

/** A request as the arguments define it, without the host's own headers and credentials. */
export interface PlannedRequest {
  readonly method: string;
  readonly origin: string;
  /** The path, including that of the server. */
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
 * Converts arguments to a request. Throws `ToolError` `invalid_arguments` for a value that cannot be sent.
 *
 * @param files returns the artifacts whose keys are among the arguments. Default: none, for a request that is only
 * displayed.
 */
export type RequestPlan = (args: JsonObject, files?: ArtifactFiles) => PlannedRequest;

interface Placed {
  readonly argument: string;
  readonly name: string;
  readonly write: ParameterWriter;
}

/**
 * Compiles an operation's requests, once; the plan is applied to each call.
 *
 * @throws Error if the URL parser would change the path.
 */
export function planRequest(
  method: string,
  path: string,
  server: Server,
  layout: ArgumentLayout,
  accept: string,
): RequestPlan {
  const template = compilePathTemplate(path, layout.parameters, layout.reserved.query);
  assertPathUnchanged(server, template.example);
  const at = (...locations: readonly string[]): Placed[] =>
    layout.parameters
      .filter(
        ({ parameter }) => locations.includes(parameter.in) && !template.inQuery.has(parameter),
      )
      .map((one) => toPlaced(one, layout));
  const inQuery = at("query", "querystring");
  const inHeaders = at("header");
  const inCookies = at("cookie");
  const encodeBody = layout.body === undefined ? undefined : planBody(layout.body);
  const { origin } = server;

  const apply = (args: JsonObject, files: ArtifactFiles): PlannedRequest => {
    const headers: Record<string, string> = { accept };
    for (const { argument, name, write } of inHeaders) {
      const text = writeArgument(args, argument, write);
      if (text !== undefined) setOwn(headers, name, text);
    }
    const encoded = encodeBody?.(args, files);
    if (encoded !== undefined) headers["content-type"] = encoded.contentType;
    return {
      method,
      origin,
      path: server.path + template.expand(args),
      query: joinWritten(template.expandQuery(args), inQuery, args, "&"),
      headers,
      cookie: joinWritten("", inCookies, args, "; "),
      ...(encoded === undefined ? {} : { body: encoded.body }),
    };
  };

  return (args, files = noFiles) => {
    try {
      return apply(args, files);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      const broken = Object.keys(args).find((name) => !isWellFormedValue(args[name] as JsonValue));
      throw unrepresentableValueError(
        broken ?? "arguments",
        "contains an unpaired surrogate, which is not a character: pass complete characters.",
      );
    }
  };
}

/** Returns false if a text in the value contains an unpaired surrogate. */
function isWellFormedValue(value: JsonValue): boolean {
  if (typeof value === "string") return isWellFormed(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([name, member]) => isWellFormed(name) && isWellFormedValue(member),
  );
}

/**
 * Asserts that the URL parser does not change the path: the approved text must be the requested one. Values are
 * encoded, so one check is sufficient.
 */
function assertPathUnchanged({ origin, path }: Server, example: string): void {
  const displayedPath = path + example;
  const url = URL.parse(origin + displayedPath);
  if (url?.origin === origin && url.pathname === displayedPath && url.search + url.hash === "")
    return;
  throw new Error("its path would be changed by the URL parser");
}

function toPlaced(
  { argument, parameter }: ParameterArgument,
  { reserved }: ArgumentLayout,
): Placed {
  const { name, in: location } = parameter;
  return {
    argument,
    name: location === "header" ? name.toLowerCase() : name,
    write: createParameterWriter(parameter, argument, getReservedKeys(parameter, reserved)),
  };
}

function joinWritten(
  first: string,
  places: readonly Placed[],
  args: JsonObject,
  separator: string,
): string {
  let all = first;
  for (const { argument, write } of places) {
    const text = writeArgument(args, argument, write);
    if (text === undefined || text === "") continue;
    all = all === "" ? text : all + separator + text;
  }
  return all;
}

function writeArgument(
  args: JsonObject,
  argument: string,
  write: ParameterWriter,
): string | undefined {
  return Object.hasOwn(args, argument) ? write(args[argument] as JsonValue) : undefined;
}

function planBody(
  body: BodyArguments,
): (args: JsonObject, files: ArtifactFiles) => EncodedBody | undefined {
  const { argument, properties, required, choice } = body;
  if (choice !== undefined) return planBodyChoice(body, choice);
  if (properties === undefined) {
    const write = body.format.writer(body.media, argument);
    return (args, files) =>
      Object.hasOwn(args, argument) ? write(args[argument] as JsonValue, files) : undefined;
  }
  const names = new Map(properties.map((one) => [one.property, one.argument]));
  const toArgument = (field: string): string => names.get(field) ?? field;
  const write = body.format.writer(body.media, argument, toArgument);
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

/**
 * Compiles a body that can be sent as one of several media types: as the one that the model names, else as the first
 * one that accepts all passed arguments. The plan throws `ToolError` `invalid_arguments` for an argument that the media
 * type does not accept, and for a missing one that it requires.
 */
function planBodyChoice(
  { argument: whole, properties = [], required }: BodyArguments,
  { argument: choosing, forms }: BodyChoice,
): (args: JsonObject, files: ArtifactFiles) => EncodedBody | undefined {
  const all = properties.map(({ argument }) => argument);
  const writers = new Map<BodyForm, BodyWriter>();
  return (args, files) => {
    const passed = all.filter((name) => Object.hasOwn(args, name));
    const isWhole = Object.hasOwn(args, whole) && !all.includes(whole);
    if (passed.length === 0 && !isWhole && !required) return undefined;
    const named = choosing === undefined ? undefined : args[choosing];
    const form =
      forms.find(({ media }) => media.mediaType === named) ??
      findMatchingForm(forms, passed, isWhole ? (args[whole] as JsonValue) : undefined, files);
    const { mediaType } = form.media;
    const taken = new Set(form.properties?.map(({ argument }) => argument) ?? [whole]);
    const unexpected = (isWhole ? [...passed, whole] : passed).find((name) => !taken.has(name));
    if (unexpected !== undefined) {
      const other = choosing === undefined ? "" : `, or choose another ${choosing}`;
      throw unrepresentableValueError(
        unexpected,
        `cannot be sent as ${mediaType}: remove it${other}.`,
      );
    }
    let write = writers.get(form);
    if (form.properties === undefined) {
      if (!isWhole)
        throw unrepresentableValueError(whole, `is required for ${mediaType}: pass it.`);
      write ??= form.format.writer(form.media, whole);
      writers.set(form, write);
      return write(args[whole] as JsonValue, files);
    }
    const value: Record<string, JsonValue> = {};
    for (const one of form.properties) {
      if (Object.hasOwn(args, one.argument)) value[one.property] = args[one.argument] as JsonValue;
      else if (one.required)
        throw unrepresentableValueError(one.argument, `is required for ${mediaType}: pass it.`);
    }
    const names = new Map(form.properties.map((one) => [one.property, one.argument]));
    write ??= form.format.writer(form.media, whole, (field) => names.get(field) ?? field);
    writers.set(form, write);
    return write(value, files);
  };
}

/** Returns the first form that accepts all passed values; for a file, a form with its media type takes precedence. */
function findMatchingForm(
  forms: readonly BodyForm[],
  passed: readonly string[],
  whole: JsonValue | undefined,
  files: ArtifactFiles,
): BodyForm {
  const fitting = forms.filter((form) => {
    if (form.properties === undefined) {
      const { defs } = form.media.schema;
      return (
        passed.length === 0 && whole !== undefined && mayBe(form.schema, defs, getJsonTypes(whole))
      );
    }
    const taken = form.properties.map(({ argument }) => argument);
    return whole === undefined && passed.every((name) => taken.includes(name));
  });
  return findBestForm(fitting, whole, files) ?? fitting[0] ?? (forms[0] as BodyForm);
}

function findBestForm(
  forms: readonly BodyForm[],
  whole: JsonValue | undefined,
  files: ArtifactFiles,
): BodyForm | undefined {
  if (forms.length < 2 || whole === undefined) return undefined;
  if (isJsonObject(whole)) return forms.find((form) => hasAllProperties(form, Object.keys(whole)));
  const isFile = artifactKey(whole) !== undefined || /^data:[^,]*;base64,/i.test(String(whole));
  if (!isFile) return undefined;
  const { mediaType } = toBodyFile(whole, "", files);
  const ofType =
    mediaType === undefined
      ? undefined
      : forms.find(({ media }) => isInRange(mediaType, media.mediaType));
  return ofType ?? forms.find(isFileBody);
}

function hasAllProperties({ schema, media }: BodyForm, keys: readonly string[]): boolean {
  const known = new Set(
    collectInPlaceSchemas([schema], media.schema.defs).flatMap(({ properties }) =>
      Object.keys((properties ?? {}) as object),
    ),
  );
  return keys.every((key) => known.has(key));
}

function getJsonTypes(value: JsonValue): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  const isNumber = typeof value === "number" || typeof value === "bigint";
  return isNumber ? ["number", "integer"] : [typeof value];
}
