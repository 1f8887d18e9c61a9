import { expect, test } from "vitest";
import { compile, load } from "../src/index.ts";
import { bombs } from "./support/bombs.ts";
import { runBomb } from "./support/run-bomb.ts";

/** The bombs that end by a rule of the language: no recursion without end, equality of cycles, repetition. */
const ruled = ["repeatString", "cyclicEq", "recursion", "wideFrames"];

test.each(Object.keys(bombs).filter((name) => name !== "freezeDeep"))(
  "the bomb %s is stopped",
  async (name) => {
    const { end } = await runBomb(name, { maxSteps: 3_000_000 });
    expect(end).toBe(ruled.includes(name) ? "execution_failed" : "limit_exceeded");
    expect((await load(compile("x = 1"))).globals.get("x")).toBe(1);
  },
);

test("a list that is nested 200,000 times deep is frozen", async () => {
  expect((await runBomb("freezeDeep", {})).end).toBe("finished");
});
