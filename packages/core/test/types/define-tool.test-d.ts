/* oxlint-disable vitest/expect-expect -- what the compiler refuses is the assertion */
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  defineTool,
  type ArgumentsOf,
  type FromJsonSchema,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Tool,
  type ToolContext,
} from "@toolweave/core";

const base = { name: "t", description: "" } as const;

describe("the arguments of a tool from a literal JSON Schema", () => {
  test("have the types that it describes, read-only, optional unless required", () => {
    defineTool({
      ...base,
      input: {
        type: "object",
        properties: {
          text: { type: "string" },
          count: { type: "integer" },
          ratio: { type: "number" },
          on: { type: "boolean" },
          nothing: { type: "null" },
          kind: { enum: ["a", "b", 3] },
          fixed: { const: "x" },
          either: { type: ["string", "null"] },
          any: { anyOf: [{ type: "string" }, { type: "array", items: { type: "number" } }] },
          one: { oneOf: [{ const: 1 }, { const: 2 }] },
          list: {
            type: "array",
            items: { type: "object", properties: { id: { type: "number" } }, required: ["id"] },
          },
          things: { type: "array" },
          open: { type: "object" },
          unknown: { description: "whatever" },
        },
        required: ["text", "list"],
      },
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<{
          readonly text: string;
          readonly list: readonly { readonly id: number }[];
          readonly count?: number;
          readonly ratio?: number;
          readonly on?: boolean;
          readonly nothing?: null;
          readonly kind?: "a" | "b" | 3;
          readonly fixed?: "x";
          readonly either?: string | null;
          readonly any?: string | readonly number[];
          readonly one?: 1 | 2;
          readonly things?: readonly JsonValue[];
          readonly open?: JsonObject;
          readonly unknown?: JsonValue;
        }>();
      },
    });
  });

  test("have no other keys, and cannot be changed", () => {
    defineTool({
      ...base,
      input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      execute(args) {
        // @ts-expect-error there is no such argument
        void args.b;
        // @ts-expect-error arguments are read-only
        args.a = 1;
        // @ts-expect-error a number is no text
        return args.a.toUpperCase();
      },
    });
  });

  test("are any JSON object if the schema is not literal, or has no properties", () => {
    const input: JsonSchema = { type: "object" };
    defineTool({
      ...base,
      input,
      execute: (args) => expectTypeOf(args).toEqualTypeOf<JsonObject>() as never,
    });
    defineTool({
      ...base,
      input: { type: "object" },
      execute: (args) => expectTypeOf(args).toEqualTypeOf<JsonObject>() as never,
    });
  });

  test("are the same for needsApproval", () => {
    defineTool({
      ...base,
      input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      needsApproval(args) {
        expectTypeOf(args).toEqualTypeOf<{ readonly amount: number }>();
        // @ts-expect-error there is no such argument
        return args.sum > 1;
      },
    });
  });

  test("may be written as a separate type", () => {
    expectTypeOf<
      FromJsonSchema<{ readonly type: "array"; readonly items: { readonly type: "string" } }>
    >().toEqualTypeOf<readonly string[]>();
    expectTypeOf<ArgumentsOf<{ readonly type: "string" }>>().toEqualTypeOf<JsonObject>();
  });
});

describe("the arguments of a tool from a library's schema", () => {
  test("are Zod's output: with defaults and transformations", () => {
    defineTool({
      ...base,
      input: z.object({
        day: z.string().transform((day) => new Date(day)),
        seats: z.number().default(1),
      }),
      needsApproval: ({ day }) => day.getTime() > 0,
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<{ day: Date; seats: number }>();
        // @ts-expect-error there is no such argument
        void args.nights;
      },
    });
  });

  test("are ArkType's and Valibot's", () => {
    defineTool({
      ...base,
      input: type({ name: "string", "times?": "number" }),
      execute: (args) =>
        expectTypeOf(args).toEqualTypeOf<{ name: string; times?: number }>() as never,
    });
    defineTool({
      ...base,
      input: v.object({ name: v.string(), times: v.optional(v.number(), 1) }),
      inputSchema: { type: "object" },
      execute: (args) =>
        expectTypeOf(args).toEqualTypeOf<{ name: string; times: number }>() as never,
    });
  });
});

describe("the return value of a tool", () => {
  const input = { type: "object" } as const;

  test("is text, JSON, blocks, an output, nothing, a promise or a generator of them", () => {
    defineTool({ ...base, input, execute: () => "text" });
    defineTool({ ...base, input, execute: async () => ({ a: [1, null] }) });
    defineTool({ ...base, input, execute: () => [{ type: "text", text: "x" }] });
    defineTool({ ...base, input, execute: () => ({ content: [], value: 1, isError: true }) });
    defineTool({ ...base, input, execute: () => {} });
    defineTool({
      ...base,
      input,
      async *execute() {
        yield "so far";
        return 1;
      },
    });
  });

  test("may have the type of an interface, or an unknown type", () => {
    interface Row {
      readonly id: number;
      readonly made: Date;
    }
    defineTool({ ...base, input, execute: () => Promise.resolve([] as Row[]) });
    defineTool({ ...base, input, execute: () => undefined as Row | undefined });
    defineTool({ ...base, input, execute: () => JSON.parse("{}") as unknown });
  });

  test("is the value of the output schema, or a complete output", () => {
    const output = {
      type: "object",
      properties: { n: { type: "number" } },
      required: ["n"],
    } as const;
    defineTool({ ...base, input, output, execute: async () => ({ n: 1 }) });
    defineTool({ ...base, input, output, execute: () => ({ content: [], value: { n: 1 } }) });
    // @ts-expect-error the answer has another type than the output schema says
    defineTool({ ...base, input, output, execute: async () => ({ n: "one" }) });
  });
});

describe("the injected values", () => {
  interface Services {
    readonly db: { query(sql: string): Promise<number> };
  }

  test("have the type that the tool requires, which its type contains", () => {
    const tool = defineTool({
      ...base,
      input: { type: "object", properties: { id: { type: "number" } }, required: ["id"] },
      execute({ id }, ctx: ToolContext<Services>) {
        expectTypeOf(id).toEqualTypeOf<number>();
        expectTypeOf(ctx.injected).toEqualTypeOf<Services>();
        // @ts-expect-error there is no such service
        void ctx.injected.cache;
        return ctx.injected.db.query("select 1");
      },
    });
    expectTypeOf(tool).toExtend<Tool<Services>>();
  });

  test("are unknown if it has none", () => {
    const tool = defineTool({
      ...base,
      input: { type: "object" },
      execute: (_, ctx) => expectTypeOf(ctx.injected).toEqualTypeOf<unknown>() as never,
    });
    expectTypeOf(tool).toExtend<Tool>();
  });
});

describe("a definition", () => {
  test("needs a name, a description and an input", () => {
    // @ts-expect-error there is no description
    defineTool({ name: "t", input: { type: "object" } });
    // @ts-expect-error there is no input
    defineTool({ name: "t", description: "" });
    // @ts-expect-error there is no such field
    defineTool({ ...base, input: { type: "object" }, parameters: {} });
    expectTypeOf(
      defineTool({ ...base, input: { type: "object" }, execution: "task" }),
    ).toExtend<Tool>();
    // @ts-expect-error there is no such way to run
    defineTool({ ...base, input: { type: "object" }, execution: "background" });
    // @ts-expect-error there is no such annotation
    defineTool({ ...base, input: { type: "object" }, annotations: { readOnly: true } });
  });
});
