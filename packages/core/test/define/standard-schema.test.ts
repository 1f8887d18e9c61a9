import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type Tool } from "@toolweave/core";
import type { StandardSchema } from "@toolweave/core/adapter";
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

describe("an output schema of a library", () => {
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
