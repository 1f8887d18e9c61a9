import { describe, expect, test } from "vitest";
import { ToolError } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { failed } from "../support/outcomes.ts";

describe("an error that a tool throws", () => {
  const thrownBy = async (throwing: () => never) =>
    failed(await executorFor(tool("t", throwing)).execute(call("t")));
  const raise = (value: unknown) => (): never => {
    throw value;
  };

  test("TC01 becomes its message; the rest is the cause, for the host", async () => {
    class Custom extends Error {}
    for (const thrown of [
      new Error("no disk"),
      new Custom("no disk"),
      new AggregateError([new Error("secret")], "no disk"),
      "no disk",
      { toString: () => "no disk" },
    ]) {
      const { error, result } = await thrownBy(raise(thrown));
      expect([error.code, error.message]).toEqual(["execution_failed", "t failed: no disk"]);
      expect(error.cause).toBe(thrown);
      expect(JSON.stringify([result, error])).not.toContain("secret");
      expect(JSON.stringify([result, error])).not.toContain("at ");
    }
  });

  test("is the same if it is a rejection", async () => {
    const executor = executorFor(tool("t", () => Promise.reject(new Error("no disk"))));
    expect(failed(await executor.execute(call("t"))).error.message).toBe("t failed: no disk");
  });

  test("is kept as it is if it is a ToolError, also of another copy of the package", async () => {
    const error = new ToolError("rate_limited", "Slow down.", { retryAfterMs: 100 });
    expect((await thrownBy(raise(error))).error).toBe(error);
    const foreign = Object.assign(new Error("Slow down."), {
      code: "rate_limited",
      [Symbol.for("toolweave.ToolError")]: true,
    });
    expect((await thrownBy(raise(foreign))).error).toBe(foreign);
  });

  test.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /undefined/],
    ["null", null, /null/],
    ["an empty error", new Error(), /no reason given/],
    ["a symbol", Symbol("x"), /Symbol\(x\)/],
    [
      "a message that throws",
      Object.defineProperty(new Error(), "message", { get: raise("x") }),
      /no reason could be read/,
    ],
    [
      "a message that is not a string",
      Object.assign(new Error(), { message: 5 }),
      /no reason given/,
    ],
    ["a toString that throws", { toString: raise("x") }, /no reason could be read/],
    ["an object without prototype", Object.create(null), /no reason could be read/],
    [
      "a proxy that throws",
      new Proxy({}, { has: raise("x"), get: raise("x"), getPrototypeOf: raise("x") }),
      /no reason could be read/,
    ],
    [
      "a value that only claims to be a ToolError",
      { [Symbol.for("toolweave.ToolError")]: true, code: "invalid_configuration" },
      /t failed/,
    ],
    [
      "a ToolError without a code",
      { [Symbol.for("toolweave.ToolError")]: true, code: "made_up", message: "x" },
      /t failed/,
    ],
  ])("TC03 may be %s", async (_, thrown, message) => {
    const { error } = await thrownBy(raise(thrown));
    expect(error.code).toBe("execution_failed");
    expect(error.message).toMatch(message);
  });

  test("TC03 of 10 MB is truncated", async () => {
    const { error, result } = await thrownBy(raise(new Error("x".repeat(10_000_000))));
    expect(error.message.length).toBeLessThan(1100);
    expect(JSON.stringify(result).length).toBeLessThan(1500);
  });
});
