import { describe, expect, test } from "vitest";
import type { Hook } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode } from "../support/outcomes.ts";

describe("a list of hooks", () => {
  test.each<[unknown, string]>([
    [{ beforeCall: () => {} }, "hooks is no list: use hooks: [{ beforeCall }]."],
    [["log"], "hooks[0] is no hook: use { beforeCall }, or a middleware (call, next) => next()."],
    [
      [() => {}, null],
      "hooks[1] is no hook: use { beforeCall }, or a middleware (call, next) => next().",
    ],
    [[{}], "hooks[0] hooks into nothing: give it a beforeCall, around or afterCall."],
    [
      [{ when: () => true }],
      "hooks[0] hooks into nothing: give it a beforeCall, around or afterCall.",
    ],
    [[{ beforecall: () => {} }], 'hooks[0]: unknown option "beforecall". Did you mean beforeCall?'],
    [[{ beforeCall: "log" }], "hooks[0].beforeCall is no function."],
    [[{ beforeCall: () => {}, when: true }], "hooks[0].when is no function."],
    [[{ beforeCall: () => {}, priority: NaN }], "hooks[0].priority is NaN; use a number."],
    [[{ beforeCall: () => {}, priority: "high" }], 'hooks[0].priority is "high"; use a number.'],
    [[{ beforeCall: () => {}, timeoutMs: "5" }], 'hooks[0].timeoutMs is "5"; use 0 or more.'],
    [[{ beforeCall: () => {}, timeoutMs: -1 }], "hooks[0].timeoutMs is -1; use 0 or more."],
  ])("with an error is refused when the executor is created (%#)", (hooks, message) => {
    expect(() => executorFor(tool("t"), { hooks: hooks as never })).toThrow(
      expect.objectContaining({ code: "invalid_configuration", message }),
    );
  });

  test("may contain instances of classes with other fields beside their hooks", async () => {
    class Guard implements Hook {
      readonly reason: string = "guarded";
      beforeCall(): { block: string } {
        return { block: this.reason };
      }
    }
    const executor = executorFor(tool("t"), { hooks: [new Guard()] });
    expect(readCode(await executor.execute(call("t")))).toBe("permission_denied");
  });

  test("is copied: later changes of the given list have no effect", async () => {
    const hooks: Hook[] = [{ beforeCall: () => ({ block: "guarded" }) }];
    const executor = executorFor(tool("t"), { hooks });
    hooks.length = 0;
    expect(readCode(await executor.execute(call("t")))).toBe("permission_denied");
  });

  test.each([-1, NaN])("cannot have a time limit of %d", (hookTimeoutMs) => {
    expect(() => executorFor(tool("t"), { hookTimeoutMs })).toThrow(
      `hookTimeoutMs is ${hookTimeoutMs}; use 0 or more.`,
    );
  });
});
