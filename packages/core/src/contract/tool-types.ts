import type { JsonValue } from "../json/json.ts";
import type { CallOptions } from "./call-options.ts";
import type { Tool } from "./tool.ts";

/**
 * The types of tools by name, for `executor.call`. Empty: `toolweave types` writes a file that adds the tools of a
 * configuration, and a program can add its own.
 *
 * ```ts
 * declare module "@toolweave/core" {
 *   interface ToolTypes {
 *     get_pet: { input: { id: number }; output: { name: string } };
 *   }
 * }
 * ```
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type
export interface ToolTypes {}

declare const types: unique symbol;

/**
 * A tool with the types of its arguments and of its result, as `defineTool` makes it. The types exist for the compiler
 * only.
 */
export interface TypedTool<Input, Value, Injected = unknown> extends Tool<Injected> {
  readonly [types]?: { readonly input: Input; readonly value: Value; readonly injected: Injected };
}

/** The arguments that a typed tool takes: `ToolInput<typeof add>` is `{ a: number; b: number }`. */
export type ToolInput<Typed> = Typed extends { readonly [types]?: infer Types }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : Record<string, unknown>
  : Record<string, unknown>;

/** The `value` of a typed tool's result: `ToolValue<typeof add>` is `number`. Without an `output` schema: any JSON. */
export type ToolValue<Typed> = Typed extends { readonly [types]?: infer Types }
  ? NonNullable<Types> extends { readonly value: infer Value }
    ? Value
    : JsonValue
  : JsonValue;

/** The arguments of the tool of that name. */
type NamedInput<Name extends string> = Name extends keyof ToolTypes
  ? ToolTypes[Name] extends { readonly input: infer Input }
    ? Input
    : Record<string, unknown>
  : Record<string, unknown>;

/** The `value` of the result of the tool of that name. */
type NamedValue<Name extends string> = Name extends keyof ToolTypes
  ? ToolTypes[Name] extends { readonly output: infer Value }
    ? Value
    : JsonValue
  : JsonValue;

/** The arguments that `executor.call` takes for a tool or the name of one. */
export type CalledInput<Called extends Tool | string> = Called extends string
  ? NamedInput<Called>
  : ToolInput<Called>;

/** The `value` of the result that `executor.call` gives for a tool or the name of one. */
export type CalledValue<Called extends Tool | string> = Called extends string
  ? NamedValue<Called>
  : ToolValue<Called>;

/** Options of `executor.call`. A tool that declares the type of its injected values needs them. */
export type TypedCallOptions<Options, Called extends Tool | string> =
  Called extends Tool<infer Injected>
    ? unknown extends Injected
      ? [options?: Options & CallOptions]
      : [options: Options & CallOptions & { readonly injected: Injected }]
    : [options?: Options & CallOptions];
