import type { JsonSchema } from "@toolweave/core";
import type { Parameter } from "../document/operation.ts";
import type { ArtifactFiller } from "./artifact-body-fields.ts";
import type { PartHeader } from "./part-headers.ts";

/** The way in which the parts of one property, or of one position, are written. */
export interface MultipartPart {
  /** The argument is base64 text, and the part is a file. */
  readonly file: boolean;
  /** The plan of values that are not files; absent: all values are. */
  readonly other?: MultipartPart;
  /** Text is a file only if it is an artifact's key or a data URL: the schema allows other text as well. */
  readonly acceptsText?: boolean;
  /** The schema of encoded bytes; the argument and the part have the same encoding. */
  readonly encoded?: JsonSchema;
  /** Replaces the keys of artifacts in a part that is an object by their bytes. */
  readonly fill?: ArtifactFiller;
  /** Text is written as a JSON string. */
  readonly json: boolean;
  /** The media types of the part; may contain wildcards, may be empty. */
  readonly types: readonly string[];
  /** The headers that every part has. */
  readonly fixedHeaders: readonly (readonly [name: string, text: string])[];
  /** The headers that the model chooses: the part is passed as `{ content, headers }`. */
  readonly headers: readonly PartHeader[];
  /** A list is one part, instead of one part for each item. */
  readonly whole: boolean;
  /** Written like a query parameter, without percent-encoding. */
  readonly styled?: Parameter;
  /** The part is itself multipart. */
  readonly nested?: MultipartParts;
}

/** The parts of a multipart body, by name and by position. */
export interface MultipartParts {
  /** The body's media type, as declared. */
  readonly mediaType: string;
  readonly byName: ReadonlyMap<string, MultipartPart>;
  /** All properties that the schema names. */
  readonly names: ReadonlySet<string>;
  /** The properties that must have a part. */
  readonly required: ReadonlySet<string>;
  readonly prefix: readonly MultipartPart[];
  /** For parts by position that have no plan of their own. */
  readonly rest: MultipartPart;
  /** For properties that the schema does not name: by `patternProperties`, else `additionalProperties`. */
  readonly byPattern: readonly (readonly [RegExp, MultipartPart])[];
  readonly additional: MultipartPart;
}
