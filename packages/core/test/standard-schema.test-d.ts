import type { StandardSchemaV1 } from "@standard-schema/spec";
import { expectTypeOf, test } from "vitest";
import type { StandardSchema } from "../src/adapter.ts";
import { defineTool } from "../src/index.ts";

test("every schema with the Standard Schema interface is accepted", () => {
  expectTypeOf<StandardSchemaV1<unknown, { id: number }>>().toExtend<
    StandardSchema<unknown, { id: number }>
  >();
  const foreign = {} as StandardSchemaV1<unknown, { id: number }>;
  defineTool({
    name: "t",
    description: "d",
    input: foreign,
    inputSchema: { type: "object" },
    execute: ({ id }) => {
      expectTypeOf(id).toEqualTypeOf<number>();
      return id;
    },
  });
});
