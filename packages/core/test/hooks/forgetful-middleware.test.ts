import { expect, test } from "vitest";
import type { Middleware } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { failed, textFor } from "../support/outcomes.ts";

test.each<[string, Middleware]>([
  ["does not return the result of next()", async (_, next) => void (await next())],
  ["neither awaits next() nor returns it", (_, next) => void next()],
  ["does nothing", () => undefined],
])(
  "a middleware that %s fails the call, and the error has the correction",
  async (_, forgetful) => {
    const passing: Middleware = async (_, next) => {
      try {
        return await next();
      } catch {
        return "swallowed";
      }
    };
    const { error } = failed(
      await executorFor(tool("t"), { hooks: [passing, forgetful] }).execute(call("t")),
    );
    expect(error.code).toBe("internal");
    expect(error.message).toContain("answered with nothing: write `return await next()`");
  },
);

test.each<[string, () => unknown]>([
  ["gave nothing", () => undefined],
  ["threw", () => Promise.reject(new Error("no"))],
])("a middleware may return nothing if the tool %s", async (_, execute) => {
  const lenient: Middleware = async (_, next) => void (await next().catch(() => {}));
  const executor = executorFor(tool("t", execute), { hooks: [lenient] });
  expect(textFor(await executor.execute(call("t")))).toBe("");
});
