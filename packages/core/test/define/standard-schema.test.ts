import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  defineTool,
  prefix,
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type Tool,
} from "@toolweave/core";
import { loadedSource, type StandardSchema } from "@toolweave/core/adapter";
import { call, executorFor } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";

const byLibrary: [string, Tool][] = [
  [
    "Zod",
    defineTool({
      name: "greet",
      description: "",
      input: z.object({ name: z.string().min(1), times: z.number().int().default(1) }),
      execute: ({ name, times }) => `${name}!`.repeat(times),
    }),
  ],
  [
    "ArkType",
    defineTool({
      name: "greet",
      description: "",
      input: type({ name: "string > 0", "times?": "number.integer" }),
      execute: ({ name, times = 1 }) => `${name}!`.repeat(times),
    }),
  ],
  [
    "Valibot with inputSchema beside it",
    defineTool({
      name: "greet",
      description: "",
      input: v.object({
        name: v.pipe(v.string(), v.minLength(1)),
        times: v.optional(v.pipe(v.number(), v.integer()), 1),
      }),
      inputSchema: {
        type: "object",
        properties: { name: { type: "string", minLength: 1 }, times: { type: "integer" } },
        required: ["name"],
      },
      execute: ({ name, times }) => `${name}!`.repeat(times),
    }),
  ],
];

describe.each(byLibrary)("a tool with an input of %s", (_, tool) => {
  test("gives a model the JSON Schema of its input", () => {
    expect(tool.spec.inputSchema).toMatchObject({
      type: "object",
      properties: { name: { type: "string", minLength: 1 }, times: { type: "integer" } },
      required: ["name"],
    });
    expect(tool.spec.inputSchema).toBe(tool.spec.inputSchema);
  });

  test("receives valid arguments, with defaults", async () => {
    const executor = executorFor(tool);
    const outcome = await executor.execute(call("greet", { name: "Ada", times: 2 }));
    expect(completed(outcome).result.content).toEqual([{ type: "text", text: "Ada!Ada!" }]);
    completed(await executor.execute(call("greet", { name: "Ada" })));
  });

  test.each([[{}], [{ name: "" }], [{ name: "Ada", times: 1.5 }]])(
    "does not receive %j",
    async (args) => {
      expect(readCode(await executorFor(tool).execute(call("greet", args)))).toBe(
        "invalid_arguments",
      );
    },
  );
});

describe("a rule that JSON Schema cannot express", () => {
  const range = z
    .object({
      from: z.number(),
      to: z.number(),
      tags: z.array(z.object({ "a/b": z.string() })).optional(),
    })
    .refine(({ from, to }) => from <= to, { message: "must not be before from", path: ["to"] })
    .refine(({ tags }) => tags?.every((tag) => tag["a/b"] !== "x") ?? true, {
      message: "must not be x",
      path: ["tags", 0, "a/b"],
    });

  test("is checked before the tool runs, and the error names the place", async () => {
    let ran = 0;
    const executor = executorFor(
      defineTool({ name: "range", description: "", input: range, execute: () => (ran += 1) }),
    );
    const { error } = failed(
      await executor.execute(call("range", { from: 2, to: 1, tags: [{ "a/b": "x" }] })),
    );
    expect(error.code).toBe("invalid_arguments");
    expect(error.message).toContain("- to must not be before from (sent: 1)");
    expect(error.message).toContain('- tags.0.a/b must not be x (sent: "x")');
    expect(ran).toBe(0);
  });

  test("may be asynchronous", async () => {
    const executor = executorFor(
      defineTool({
        name: "look",
        description: "",
        input: z.object({ id: z.number().refine(async (id) => id !== 7, "is taken") }),
        inputSchema: { type: "object" },
        execute: ({ id }) => id,
      }),
    );
    expect(completed(await executor.execute(call("look", { id: 1 }))).result.value).toBe(1);
    expect(failed(await executor.execute(call("look", { id: 7 }))).error.message).toContain(
      "is taken",
    );
  });

  test("is checked once per call, though the result is needed three times", async () => {
    let validated = 0;
    const input = z.object({ n: z.number() }).refine(() => ((validated += 1), true));
    const executor = executorFor(
      defineTool({
        name: "n",
        description: "",
        input,
        needsApproval: ({ n }) => n > 5,
        execute: ({ n }) => n,
      }),
    );
    completed(await executor.execute(call("n", { n: 1 })));
    expect(validated).toBe(1);
  });

  test("reports a path of names that some libraries wrap in objects", async () => {
    const schema: StandardSchema<unknown, { a: string }> = {
      "~standard": {
        version: 1,
        vendor: "mine",
        validate: () => ({
          issues: [{ message: "is wrong", path: [{ key: "a" }] }, { message: "is odd" }],
        }),
      },
    };
    const executor = executorFor(
      defineTool({
        name: "x",
        description: "",
        input: schema,
        inputSchema: { type: "object" },
        execute: ({ a }) => a,
      }),
    );
    const { message } = failed(await executor.execute(call("x", { a: "b" }))).error;
    expect(message).toContain('- a is wrong (sent: "b")');
    expect(message).toContain("- the arguments is odd");
  });
});

describe("transformations", () => {
  const tool = defineTool({
    name: "book",
    description: "",
    input: z.object({
      day: z.string().transform((day) => new Date(`${day}T00:00:00Z`)),
      seats: z.number().default(1),
    }),
    needsApproval: ({ day }) => day.getUTCFullYear() > 2026,
    execute: ({ day, seats }) => ({ year: day.getUTCFullYear(), seats }),
  });

  test("apply to the tool and its approval, not to the model's schema nor to the displayed call", async () => {
    expect(tool.spec.inputSchema).toMatchObject({
      properties: { day: { type: "string" }, seats: { type: "number", default: 1 } },
      required: ["day"],
    });
    const executor = executorFor(tool);
    const now = completed(await executor.execute(call("book", { day: "2026-12-24" })));
    expect(now.result.value).toEqual({ year: 2026, seats: 1 });
    const interruption = getInterruption(
      await executor.execute(call("book", { day: "2027-01-01" })),
    );
    expect(interruption.call.arguments).toEqual({ day: "2027-01-01" });
    const later = completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect(later.result.value).toEqual({ year: 2027, seats: 1 });
  });

  test("are made from the validated arguments if the tool is invoked without an executor", async () => {
    await expect(async () => tool.invoke({ day: 5 }, {} as never)).rejects.toMatchObject({
      code: "invalid_arguments",
    });
  });
});

describe("the library decides, and the JSON Schema is for the model", () => {
  const run = async (member: z.ZodType, value: unknown): Promise<unknown> => {
    const tool = defineTool({
      name: "x",
      description: "",
      input: z.object({ value: member }),
      execute: ({ value }) => ({ value: value as string }),
    });
    const outcome = await executorFor(tool).execute(call("x", { value } as JsonObject));
    return outcome.error?.code ?? (completed(outcome).result.value as JsonObject)["value"];
  };

  test.each<[string, z.ZodType, unknown, unknown]>([
    ["a pattern with the flag i", z.string().regex(/^[a-z]{3}$/i), "ABC", "ABC"],
    ["a pattern with the flag s", z.string().regex(/^a.b$/s), "a\nb", "a\nb"],
    ["a pattern with the flag m", z.string().regex(/^b$/m), "a\nb", "a\nb"],
    ["a pattern that does not match", z.string().regex(/^[a-z]{3}$/i), "ABCD", "invalid_arguments"],
    ["coerce", z.coerce.number(), "5", 5],
    ["a coercion that fails", z.coerce.number(), "five", "invalid_arguments"],
    ["preprocess", z.preprocess((v) => String(v).trim(), z.string().max(2)), " ab ", "ab"],
    ["trim and max", z.string().trim().max(3), "  abc  ", "abc"],
    [
      "overwrite and enum",
      z
        .string()
        .toLowerCase()
        .pipe(z.enum(["a"])),
      "A",
      "a",
    ],
    ["catch", z.number().catch(7), "seven", 7],
    ["stringbool", z.stringbool(), "yes", true],
    ["optional of null", z.string().optional(), null, "invalid_arguments"],
    ["a list of patterns", z.array(z.string().regex(/^[a-z]$/i)), ["A"], ["A"]],
    [
      "a record of patterns",
      z.record(z.string(), z.string().regex(/^a$/i)),
      { k: "A" },
      { k: "A" },
    ],
    ["a union of patterns", z.union([z.string().regex(/^a$/i), z.number()]), "A", "A"],
    ["nullable", z.string().regex(/^a$/i).nullable(), "A", "A"],
    ["strip", z.object({ a: z.number() }), { a: 1, b: 2 }, { a: 1 }],
    ["strict", z.strictObject({ a: z.number() }), { a: 1, b: 2 }, "invalid_arguments"],
    ["loose", z.looseObject({ a: z.number() }), { a: 1, b: 2 }, { a: 1, b: 2 }],
  ])("in %s", async (_, member, value, expected) => {
    expect(await run(member, value)).toEqual(expected);
  });

  test("and what is approved are the arguments as the model sent them", async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: "pay",
      description: "",
      input: z.object({ amount: z.coerce.number() }),
      needsApproval: ({ amount }) => (seen.push(amount), true),
      execute: ({ amount }) => ({ amount }),
    });
    const executor = executorFor(tool);
    const interruption = getInterruption(await executor.execute(call("pay", { amount: "5" })));
    expect(interruption.call.arguments).toEqual({ amount: "5" });
    const outcome = completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect([outcome.result.value, seen[0]]).toEqual([{ amount: 5 }, 5]);
  });

  test("and under another name too", async () => {
    const tool = defineTool({
      name: "x",
      description: "",
      annotations: { readOnlyHint: true },
      input: z.object({ code: z.string().regex(/^[a-z]$/i) }),
      output: z.object({ code: z.string() }),
      execute: ({ code }) => ({ code, more: 1 }),
    });
    const registry = new ToolRegistry([
      prefix(loadedSource({ id: "s", trustAnnotations: true, load: async () => [tool] }), "my_"),
    ]);
    const executor = new ToolExecutor({ registry });
    await registry.load();
    const outcome = completed(await executor.execute(call("my___x", { code: "A" })));
    expect(outcome.result.value).toEqual({ code: "A" });
  });
});

describe("an output schema of a library", () => {
  const run = async (output: z.ZodType, value: unknown): Promise<unknown> => {
    const tool = defineTool({
      name: "x",
      description: "",
      input: z.object({}),
      output,
      execute: () => value as never,
    });
    const { result, error } = await executorFor(tool).execute(call("x", {}));
    return error?.code ?? { value: result?.value, content: result?.content };
  };
  const written = (value: unknown): object => ({
    value,
    content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
  });
  const date = z.string().transform((day) => day.length);

  test.each<[string, z.ZodType, unknown, unknown]>([
    ["strips", z.object({ id: z.number() }), { id: 1, name: "x" }, written({ id: 1 })],
    [
      "strips below",
      z.array(z.object({ id: z.number() })),
      [{ id: 1, b: 2 }],
      written([{ id: 1 }]),
    ],
    [
      "keeps what is loose",
      z.looseObject({ id: z.number() }),
      { id: 1, b: 2 },
      written({ id: 1, b: 2 }),
    ],
    [
      "refuses what is strict",
      z.strictObject({ id: z.number() }),
      { id: 1, b: 2 },
      "invalid_output",
    ],
    ["refines", z.object({ id: z.number().refine((id) => id > 5) }), { id: 1 }, "invalid_output"],
    ["has flags", z.object({ id: z.string().regex(/^a$/i) }), { id: "A" }, written({ id: "A" })],
    ["fills in defaults", z.object({ id: z.number().default(3) }), {}, written({ id: 3 })],
    ["coerces", z.object({ id: z.coerce.number() }), { id: "4" }, written({ id: 4 })],
    ["trims a text", z.string().trim(), " a ", written("a")],
    ["transforms", date.pipe(z.number()), "abc", written(3)],
    ["accepts what is transformed already", date.pipe(z.number()), 3, written(3)],
    ["refuses another type", z.object({ id: z.number() }), { id: "x" }, "invalid_output"],
  ])("%s", async (_, output, value, expected) => {
    expect(await run(output, value)).toEqual(expected);
  });

  test("leaves the content that a tool has written", async () => {
    const content = [{ type: "text", text: "One." }];
    const output = z.object({ id: z.number() });
    expect(await run(output, { content, value: { id: 1, name: "x" } })).toEqual({
      value: { id: 1 },
      content,
    });
  });

  test("validates the tool's answer", async () => {
    const tool = defineTool({
      name: "x",
      description: "",
      input: type({ ok: "boolean" }),
      output: z.object({ n: z.number() }),
      execute: ({ ok }) => (ok ? { n: 1 } : ({ n: "one" } as never)),
    });
    expect(tool.spec.outputSchema).toMatchObject({ properties: { n: { type: "number" } } });
    const executor = executorFor(tool);
    expect(completed(await executor.execute(call("x", { ok: true }))).result.value).toEqual({
      n: 1,
    });
    expect(readCode(await executor.execute(call("x", { ok: false })))).toBe("invalid_output");
  });
});

describe("schemas of libraries", () => {
  test("are converted once, when the tool is defined", () => {
    let written = 0;
    const schema = (): StandardSchema<unknown, { a: string }> => ({
      "~standard": {
        version: 1,
        vendor: "mine",
        validate: () => ({ value: { a: "" } }),
        jsonSchema: {
          input: () => ((written += 1), { type: "object" }),
          output: () => ((written += 1), { type: "object" }),
        },
      },
    });
    const both = defineTool({ name: "x", description: "", input: schema(), output: schema() });
    expect(written).toBe(2);
    expect(executorFor(both).toolset.specs()).toHaveLength(1);
    expect([both.spec.inputSchema, both.spec.outputSchema, written]).toEqual([
      { type: "object" },
      { type: "object" },
      2,
    ]);
  });
});
