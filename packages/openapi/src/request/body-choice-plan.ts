import { artifactKey, type JsonObject, type JsonValue } from "@toolweave/core";
import type { BodyArguments } from "../arguments/argument-layout.ts";
import type { BodyChoice, BodyForm } from "../arguments/body-choice.ts";
import { isJsonObject } from "../document/record.ts";
import { inPlaceSchemas, mayBe } from "../schema/resolve-schema.ts";
import type { ArtifactFiles } from "../body/artifact-files.ts";
import { toBodyFile } from "../body/binary-content.ts";
import { isInRange } from "../document/media-type.ts";
import { isFileBody } from "../body/body-formats.ts";
import type { BodyWriter, EncodedBody } from "../body/body-writer.ts";
import { unrepresentableValue } from "../parameters/unrepresentable.ts";

/**
 * Compiles a body that can be sent as one of several media types: as the one that the model names, else as the first that
 * takes every argument that is passed. The plan throws `ToolError` `invalid_arguments` for an argument that the media type
 * does not take, and for one that it requires and that is not there.
 */
export function choicePlan(
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
      fittingForm(forms, passed, isWhole ? (args[whole] as JsonValue) : undefined, files);
    const { mediaType } = form.media;
    const taken = new Set(form.properties?.map(({ argument }) => argument) ?? [whole]);
    const stray = (isWhole ? [...passed, whole] : passed).find((name) => !taken.has(name));
    if (stray !== undefined) {
      const other = choosing === undefined ? "" : `, or choose another ${choosing}`;
      throw unrepresentableValue(stray, `is not sent as ${mediaType}: leave it out${other}.`);
    }
    let write = writers.get(form);
    if (form.properties === undefined) {
      if (!isWhole) throw unrepresentableValue(whole, `is required as ${mediaType}: pass it.`);
      write ??= form.format.writer(form.media, whole);
      writers.set(form, write);
      return write(args[whole] as JsonValue, files);
    }
    const value: Record<string, JsonValue> = {};
    for (const one of form.properties) {
      if (Object.hasOwn(args, one.argument)) value[one.property] = args[one.argument] as JsonValue;
      else if (one.required)
        throw unrepresentableValue(one.argument, `is required as ${mediaType}: pass it.`);
    }
    const names = new Map(form.properties.map((one) => [one.property, one.argument]));
    write ??= form.format.writer(form.media, whole, (field) => names.get(field) ?? field);
    writers.set(form, write);
    return write(value, files);
  };
}

/** The first form that takes all that is passed; of a file, one of its own type before others. */
function fittingForm(
  forms: readonly BodyForm[],
  passed: readonly string[],
  whole: JsonValue | undefined,
  files: ArtifactFiles,
): BodyForm {
  const fitting = forms.filter((form) => {
    if (form.properties === undefined) {
      const { defs } = form.media.schema;
      return (
        passed.length === 0 && whole !== undefined && mayBe(form.schema, defs, jsonTypes(whole))
      );
    }
    const taken = form.properties.map(({ argument }) => argument);
    return whole === undefined && passed.every((name) => taken.includes(name));
  });
  return bestFit(fitting, whole, files) ?? fitting[0] ?? (forms[0] as BodyForm);
}

function bestFit(
  forms: readonly BodyForm[],
  whole: JsonValue | undefined,
  files: ArtifactFiles,
): BodyForm | undefined {
  if (forms.length < 2 || whole === undefined) return undefined;
  if (isJsonObject(whole)) return forms.find((form) => namesAll(form, Object.keys(whole)));
  const isFile = artifactKey(whole) !== undefined || /^data:[^,]*;base64,/i.test(String(whole));
  if (!isFile) return undefined;
  const { mediaType } = toBodyFile(whole, "", files);
  const ofType =
    mediaType === undefined
      ? undefined
      : forms.find(({ media }) => isInRange(mediaType, media.mediaType));
  return ofType ?? forms.find(isFileBody);
}

function namesAll({ schema, media }: BodyForm, keys: readonly string[]): boolean {
  const known = new Set(
    inPlaceSchemas([schema], media.schema.defs).flatMap(({ properties }) =>
      Object.keys((properties ?? {}) as object),
    ),
  );
  return keys.every((key) => known.has(key));
}

function jsonTypes(value: JsonValue): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return typeof value === "number" ? ["number", "integer"] : [typeof value];
}
