import { z } from "zod";
import type { Numbers } from "./contender.ts";

// The common parts: 20 names, one body, one schema in two notations.
export const toolNames: readonly string[] = Array.from(
  { length: 20 },
  (_, index) => `add_${index}`,
);

export const description = "Add two numbers.";

export const add = async ({ a, b }: Numbers): Promise<number> => a + b;

/** The same function, for packages that infer nothing from a JSON Schema. */
export const addUnknown = add as (args: unknown) => Promise<number>;

// A literal type for those that infer from it, but without readonly, which some refuse.
export const jsonSchema: {
  type: "object";
  properties: { a: { type: "number" }; b: { type: "number" } };
  required: ["a", "b"];
  additionalProperties: false;
} = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
};

export const zodSchema: z.ZodObject<{ a: z.ZodNumber; b: z.ZodNumber }, z.core.$strict> =
  z.strictObject({ a: z.number(), b: z.number() });

/** The tool with that name, as an agent loop has to find it. */
export function byName<T>(make: (name: string) => T): (name: string) => T {
  const tools = new Map(toolNames.map((name) => [name, make(name)]));
  return (name) => {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    return tool;
  };
}
