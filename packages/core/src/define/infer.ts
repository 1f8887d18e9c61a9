import type { JsonObject, JsonSchema, JsonValue } from "../json/json.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** The schemas that `defineTool` accepts as `input` and `output`. */
export type AnySchema = JsonSchema | StandardSchema;

/** The type of the arguments that a tool with this input gets. */
export type ArgumentsOf<Schema> =
  Schema extends StandardSchema<infer _, infer Output>
    ? Output
    : FromJsonSchema<Schema> extends infer Value
      ? [Value] extends [object]
        ? Value
        : JsonObject
      : JsonObject;

/** The type of the arguments that a caller of a tool with this input passes: before defaults and transformations. */
export type InputOf<Schema> =
  Schema extends StandardSchema<infer Input, infer _> ? Input : ArgumentsOf<Schema>;

/** The type of what a tool with this output gives back. */
export type OutputOf<Schema> =
  Schema extends StandardSchema<infer _, infer Output> ? Output : FromJsonSchema<Schema>;

/**
 * The type that a literal JSON Schema describes: `type` (one or several), `enum`, `const`,
 * `properties` with `required`, `items`, `anyOf` and `oneOf`. Everything else is any JSON value.
 */
export type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Choice)[] }
      ? FromJsonSchema<Choice>
      : Schema extends { readonly oneOf: readonly (infer Choice)[] }
        ? FromJsonSchema<Choice>
        : Schema extends { readonly type: infer Type }
          ? FromType<Schema, Type extends readonly (infer Each)[] ? Each : Type>
          : JsonValue;

type FromType<Schema, Type> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? readonly FromItems<Schema>[]
          : Type extends "object"
            ? FromProperties<Schema>
            : JsonValue;

type FromItems<Schema> = Schema extends { readonly items: infer Items }
  ? FromJsonSchema<Items>
  : JsonValue;

type FromProperties<Schema> = Schema extends { readonly properties: infer Properties }
  ? Simplify<
      {
        readonly [
          Key in keyof Properties as Key extends RequiredOf<Schema> ? Key : never
        ]: FromJsonSchema<Properties[Key]>;
      } & {
        readonly [
          Key in keyof Properties as Key extends RequiredOf<Schema> ? never : Key
        ]?: FromJsonSchema<Properties[Key]>;
      }
    >
  : JsonObject;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? Name
  : never;

type Simplify<T> = { [Key in keyof T]: T[Key] };
