import type { JsonObject, JsonValue } from "@toolweave/core";
import { artifactKey } from "@toolweave/core/stores";
import type { BodyArguments } from "../arguments/argument-layout.ts";
import type { BodyChoice, BodyForm } from "../arguments/body-choice.ts";
import { isJsonObject } from "../document/record.ts";
import { collectInPlaceSchemas, mayBe } from "../schema/resolve-schema.ts";
import type { ArtifactFiles, BodyWriter, EncodedBody } from "../body/body-writer.ts";
import { toBodyFile } from "../body/binary-content.ts";
import { isInRange } from "../document/media-type.ts";
import { isFileBody } from "../body/body-formats.ts";
import { unrepresentableValueError } from "../parameters/unrepresentable.ts";

/**
 * Compiles a body that can be sent as one of several media types: as the one that the model names, else as the first
 * one that accepts all passed arguments. The plan throws `ToolError` `invalid_arguments` for an argument that the media
 * type does not accept, and for a missing one that it requires.
 */
export function planBodyChoice(
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
  return typeof value === "number" ? ["number", "integer"] : [typeof value];
}
