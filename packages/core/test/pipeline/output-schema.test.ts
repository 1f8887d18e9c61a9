import { describe, expect, test } from "vitest";
import { text, ToolError, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { call, executorFor, foreignTool, recorded, tool } from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

describe("an output schema", () => {
  const output = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

  test("may have another dialect than the input's, which is loaded when it is needed", async () => {
    const old = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "array",
      items: [{ type: "number" }],
    };
    const wrong = { ...old, items: [{ $ref: "https://other.example/n" }] };
    const registry = new ToolRegistry([
      tool("good", () => [1], { output: old }),
      tool("bad", () => ["x"], { output: old }),
    ]);
    const executor = new ToolExecutor({ registry });
    completed(await executor.execute(call("good")));
    expect(readCode(await executor.execute(call("bad")))).toBe("invalid_output");
    const broken = new ToolExecutor({
      registry: new ToolRegistry([tool("t", () => [1], { output: wrong })]),
    });
    expect(failed(await broken.execute(call("t"))).error.message).toContain("cannot be used");
  });

  test("that the answer violates fails the call, and the error says that it did run", async () => {
    const executor = executorFor(tool("t", () => ({ n: "one" }), { output }));
    const { error } = failed(await executor.execute(call("t")));
    expect([error.code, error.audience, error.message]).toEqual([
      "invalid_output",
      "host",
      "The output of t does not match its output schema: n must be number. The call did run: do not repeat it before checking what it did.",
    ]);
  });

  test("that the answer of a read-only tool violates: the error does not forbid to repeat the call", async () => {
    const annotations = { readOnlyHint: true };
    const nested = { type: "object", properties: { list: { type: "array", items: output } } };
    const read = tool("t", () => ({ list: [{ n: "one" }] }), { output: nested, annotations });
    expect(failed(await executorFor(read).execute(call("t"))).error.message).toBe(
      "The output of t does not match its output schema: list.0.n must be number. The call did run, and changed nothing.",
    );
  });

  test("applies to the value: an answer without one violates it, an error need not match it", async () => {
    const bare = executorFor(tool("t", () => ({ content: [text("x")] }), { output }));
    expect(failed(await bare.execute(call("t"))).error.message).toContain(
      "it has no structured value",
    );
    const error = executorFor(
      tool("t", () => ({ content: [text("x")], isError: true }), { output }),
    );
    expect(completed(await error.execute(call("t"))).result.isError).toBe(true);
  });

  test("turns a text into a value", async () => {
    const executor = executorFor(tool("t", () => "text", { output: { type: "string" } }));
    expect(completed(await executor.execute(call("t"))).result).toMatchObject({
      content: [text("text")],
      value: "text",
    });
  });

  test("that is invalid cannot be satisfied: the call did run, and the host must correct it", async () => {
    for (const output of [{ $ref: "#none" }, { $ref: "http://other.example" }]) {
      const executor = executorFor(tool("t", () => 1, { output }));
      for (let time = 0; time < 2; time++) {
        const { error } = failed(await executor.execute(call("t")));
        expect(error.code).toBe("invalid_output");
        expect(error.message).toMatch(/^The output schema of t cannot be used\. The call did run/);
        expect(ToolError.is(error.cause)).toBe(true);
      }
    }
  });

  test("of a tool that only warns causes a warning in its end event, and nowhere else", async () => {
    const warning = foreignTool("t", {
      spec: { outputSchema: output },
      outputValidation: "warning",
      invoke: () => ({ n: "one" }),
    });
    const unusable = foreignTool("u", {
      spec: { outputSchema: { type: "nothing" } },
      outputValidation: "warning",
      invoke: () => 1,
    });
    const executor = executorFor(new TestSource("s", [warning, unusable]), {
      policy: "autonomous",
    });
    completed(await executor.execute(call("t")));
    const events = recorded(executor);
    for (const name of ["t", "u"]) completed(await executor.execute(call(name)));
    expect(
      events.flatMap((event) => (event.type === "tool.completed" ? [event.warnings] : [])),
    ).toEqual([
      ["The output of t does not match its output schema: n must be number"],
      ["The output schema of u cannot be used"],
    ]);
  });
});
