import { describe, expect, test } from "vitest";
import type { ExecutorOptions, JsonObject, JsonSchema } from "@toolweave/core";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { completed, failed, textFor } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const event: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string" },
    start: { type: "string" },
    guests: { type: "array", items: { type: "object", properties: { mail: { type: "string" } } } },
  },
  required: ["title"],
  additionalProperties: false,
};

async function refusal(input: JsonSchema, args: JsonObject): Promise<string> {
  const { error, result } = failed(
    await executorFor(tool("create_event", () => 1, { input })).execute(call("create_event", args)),
  );
  expect([error.code, error.audience, result.durationMs]).toEqual([
    "invalid_arguments",
    "model",
    0,
  ]);
  return error.message;
}

describe("arguments that do not match the schema", () => {
  test("return the path, the expected and the sent value to the model, in a few lines", async () => {
    expect(await refusal(event, { title: 7, titel: "x", guests: [{ mail: true }] })).toBe(
      [
        "The arguments of create_event are not valid:",
        '- titel is not a known property (sent: "x")',
        "- title must be string (sent: 7)",
        "- guests.0.mail must be string (sent: true)",
        "Known: title, guests, start.",
        "Correct them and call it again.",
      ].join("\n"),
    );
  });

  test("name missing properties, and the root if that is wrong", async () => {
    expect(await refusal(event, {})).toContain("- title is required\n");
    expect(await refusal({ type: "object", maxProperties: 0 }, { a: 1 })).toContain(
      "- the arguments must NOT have more than 0 properties\n",
    );
  });

  test.each([
    [10, 10, "- p9 must be string (sent: 1)"],
    [11, 11, "- p10 must be string (sent: 1)"],
    [12, 11, "- and 2 more"],
    [30, 11, "- and 20 more"],
  ])("of %d problems list each once, in %d lines", async (count, expected, last) => {
    const properties = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `p${at}`,
        { type: "string", allOf: [{ type: "string" }] },
      ]),
    );
    const args = Object.fromEntries(Object.keys(properties).map((name) => [name, 1]));
    const lines = (await refusal({ type: "object", properties }, args)).split("\n");
    expect(lines).toHaveLength(expected + 2);
    expect(lines.at(-2)).toBe(last);
  });

  test("list fewer problems if their descriptions are long", async () => {
    const choices = Array.from({ length: 60 }, (_, at) => `choice_${at}`);
    const properties = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`p${at}`, { enum: choices }]),
    );
    const args = Object.fromEntries(Object.keys(properties).map((name) => [name, 1]));
    const message = await refusal({ type: "object", properties }, args);
    expect(message).toMatch(/- and \d+ more\n/);
    expect(message.length).toBeLessThan(4000);
  });

  test.each(["args", "input", "params"])("name the unknown member %s of the call", async (name) => {
    const needed = tool("t", () => 1, { input: { type: "object", required: ["a"] } });
    const misnamed = { id: "1", name: "t", [name]: { a: 1 } } as never;
    expect(failed(await executorFor(needed).execute(misnamed)).error.message).toContain(
      `The call has no "arguments", but has "${name}": pass { id, name, arguments }.`,
    );
  });

  test("quote the beginning of long values, and nothing of large ones", async () => {
    expect(await refusal(event, { title: ["x".repeat(200)] })).toContain(
      "- title must be string\n",
    );
    const message = await refusal(
      { type: "object", properties: { a: { enum: [1] } } },
      { a: "y".repeat(200) },
    );
    expect(message).toMatch(/\(sent: "y{59}…\)/);
  });

  test("quote a key with unusual characters unchanged", async () => {
    expect(await refusal(event, { title: "x", "a/b~c": 1 })).toContain(
      "- a/b~c is not a known property (sent: 1)",
    );
  });

  test("list at most twelve known names, the near ones first", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`field_${at + 10}`, {}]),
    );
    const message = await refusal(
      { type: "object", properties, additionalProperties: false },
      { feld_29: 1 },
    );
    expect(message).toContain("Known: field_29, ");
    expect(message).toMatch(/Known: (\w+, ){12}…\./);
  });
});

describe("a tool's own check", () => {
  const own = (validate: NonNullable<ReturnType<typeof foreignTool>["validate"]>) =>
    executorFor(new TestSource("s", [foreignTool("own", { validate })]), { policy: "autonomous" });

  test("runs after the schema, may be asynchronous, and reports errors in the same form", async () => {
    const executor = own(async ({ n }) => (n === 1 ? [] : [{ path: "/n", message: "must be 1" }]));
    completed(await executor.execute(call("own", { n: 1 })));
    expect(textFor(await executor.execute(call("own", { n: 2 })))).toContain(
      "- n must be 1 (sent: 2)",
    );
  });

  test("that throws fails the call, which has not started", async () => {
    const executor = own(() => {
      throw new Error("broken check");
    });
    const { error, result } = failed(await executor.execute(call("own")));
    expect([error.code, result.durationMs]).toEqual(["execution_failed", 0]);
  });
});

describe("arguments that are not in the schema", () => {
  const open: JsonSchema = { type: "object", properties: { a: { type: "number" } } };
  const got = async (
    undeclaredArguments: NonNullable<ExecutorOptions["undeclaredArguments"]>,
    input: JsonSchema,
    args: JsonObject,
  ): Promise<JsonObject | string> => {
    let seen: JsonObject = {};
    const outcome = await executorFor(
      tool("t", (args) => void (seen = args), { input }),
      { undeclaredArguments },
    ).execute(call("t", args));
    return outcome.status === "completed" ? seen : failed(outcome).error.message;
  };

  test("are accepted or refused by the schema, by default", async () => {
    expect(await got("schema", open, { a: 1, b: 2 })).toEqual({ a: 1, b: 2 });
    expect(await got("schema", { ...open, additionalProperties: false }, { b: 2 })).toContain(
      "- b is not",
    );
  });

  test("are dropped by `strip`, and refused by `reject`", async () => {
    expect(await got("strip", open, { a: 1, b: 2, "c/d": 3 })).toEqual({ a: 1 });
    expect(await got("strip", { ...open, additionalProperties: false }, { a: 1, b: 2 })).toEqual({
      a: 1,
    });
    expect(await got("strip", { type: "object" }, { b: 2 })).toEqual({});
    expect(await got("reject", open, { a: 1, b: 2, "c/d": 3 })).toContain(
      "- b is not a known property (sent: 2)\n- c/d is not a known property (sent: 3)",
    );
    expect(await got("reject", open, { a: 1 })).toEqual({ a: 1 });
  });

  test.each<[string, JsonSchema]>([
    ["additionalProperties", { ...open, additionalProperties: { type: "number" } }],
    ["patternProperties", { ...open, patternProperties: { "^b": {} } }],
    ["allOf", { ...open, allOf: [{ properties: { b: {} } }] }],
    ["dependencies", { ...open, dependencies: { a: { properties: { b: {} } } } }],
    ["$ref", { ...open, $ref: "#/$defs/b", $defs: { b: { properties: { b: {} } } } }],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    ["if", { ...open, if: { required: ["b"] }, then: { properties: { b: {} } } }],
  ])("are decided by the schema if it describes them with %s", async (_, input) => {
    for (const option of ["strip", "reject"] as const) {
      expect(await got(option, input, { a: 1, b: 2 })).toEqual({ a: 1, b: 2 });
    }
  });

  test("are dropped in time that grows with their number", async () => {
    const spent = await cpuMilliseconds(async () => {
      const args = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at]));
      expect(await got("strip", open, args)).toEqual({});
    });
    expect(spent).toBeLessThan(linearWorkMs);
  });
});
