import { describe, expect, test } from "vitest";
import { text, type Hook, type JsonObject } from "@toolweave/core";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { completed, failed, textFor } from "../support/outcomes.ts";

// Callbacks of other systems, written as hooks.

/** A callback that allows or blocks before a tool, and is notified afterwards. */
function yesOrNo(before: (name: string, args: JsonObject) => boolean, after: () => void): Hook {
  return {
    beforeCall: ({ spec, arguments: args }) =>
      before(spec.name, args) ? undefined : { block: "the host's callback said no." },
    afterCall: after,
  };
}

type Verdict =
  | { readonly action: "allow" }
  | { readonly action: "block"; readonly reason: string }
  | { readonly action: "modify"; readonly payload: JsonObject };

/** A rule on `tool.pre` and `tool.post` that allows, blocks or modifies. */
function rule(handle: (event: "tool.pre" | "tool.post", payload: JsonObject) => Verdict): Hook {
  return {
    beforeCall: ({ arguments: args }) => {
      const verdict = handle("tool.pre", args);
      if (verdict.action === "block") return { block: verdict.reason };
      return verdict.action === "modify" ? { arguments: verdict.payload } : undefined;
    },
    afterCall: (_, { content, value }) => {
      const verdict = handle("tool.post", { value: value ?? null });
      if (verdict.action === "allow") return undefined;
      return verdict.action === "block"
        ? { content: [text(`The result was blocked: ${verdict.reason}`)], isError: true }
        : { content, value: verdict.payload };
    },
  };
}

describe("F2.6 a callback that blocks", () => {
  test("results in neither start nor end, a result that is an error, and the later callback is not called", async () => {
    let after = 0;
    const executor = executorFor([tool("a"), tool("b")], {
      hooks: [
        yesOrNo(
          (name) => name === "b",
          () => void (after += 1),
        ),
      ],
    });
    const events = recorded(executor);
    const outcome = await executor.execute(call("a"));
    expect(failed(outcome).result).toMatchObject({ callId: "a", isError: true, durationMs: 0 });
    expect(textFor(outcome)).toBe("a was blocked: the host's callback said no.");
    expect(listTypes(events)).toEqual(["tool.requested", "tool.rejected"]);
    expect(after).toBe(0);
    completed(await executor.execute(call("b")));
    expect(after).toBe(1);
  });
});

describe("F4.9 F4.11 rules on tool.pre and tool.post", () => {
  const add = tool("add", ({ a, b }) => (a as number) + (b as number));

  test("allow, block and modify before the tool; the first block is final, modifications are chained", async () => {
    const seen: unknown[] = [];
    const executor = executorFor(add, {
      hooks: [
        rule((event, payload) =>
          event === "tool.pre"
            ? { action: "modify", payload: { ...payload, a: 10 } }
            : { action: "allow" },
        ),
        rule((event, payload) => {
          if (event === "tool.pre") seen.push(payload);
          return payload["b"] === 13 ? { action: "block", reason: "unlucky" } : { action: "allow" };
        }),
        rule((event, payload) => {
          if (event === "tool.pre") seen.push(payload);
          return { action: "allow" };
        }),
      ],
    });
    expect(completed(await executor.execute(call("add", { a: 1, b: 2 }))).result.value).toBe(12);
    expect(textFor(await executor.execute(call("add", { a: 1, b: 13 })))).toBe(
      "add was blocked: unlucky",
    );
    expect(seen).toEqual([
      { a: 10, b: 2 },
      { a: 10, b: 2 },
      { a: 10, b: 13 },
    ]);
  });

  test("block and modify the result after it", async () => {
    const executor = executorFor(add, {
      hooks: [
        rule((event, { value }) =>
          event === "tool.post" && value === 3
            ? { action: "block", reason: "three" }
            : { action: "allow" },
        ),
        rule((event, { value }) =>
          event === "tool.post" && value === 5
            ? { action: "modify", payload: { five: true } }
            : { action: "allow" },
        ),
      ],
    });
    const blocked = completed(await executor.execute(call("add", { a: 1, b: 2 })));
    expect([blocked.result.isError, textFor(blocked)]).toEqual([
      true,
      "The result was blocked: three",
    ]);
    const { result } = completed(await executor.execute(call("add", { a: 2, b: 3 })));
    expect(result.value).toEqual({ five: true });
  });

  test("fail closed where the reference continued: a rule that throws blocks", async () => {
    const executor = executorFor(add, {
      hooks: [
        rule(() => {
          throw new Error("script error");
        }),
      ],
    });
    expect(failed(await executor.execute(call("add"))).error.code).toBe("permission_denied");
  });
});

describe("F3.19 hooks of descending priority", () => {
  test("keep their order if their priority is negated", async () => {
    const order: string[] = [];
    const descending = (priority: number, name: string): Hook => ({
      priority: -priority,
      beforeCall: () => void order.push(name),
    });
    const executor = executorFor(tool("t"), {
      hooks: [descending(1, "low"), descending(100, "high"), descending(50, "middle")],
    });
    completed(await executor.execute(call("t")));
    expect(order).toEqual(["high", "middle", "low"]);
  });
});
