import { expect, test } from "vitest";
import { compile, hostModule, load, Thread, valueFunction } from "@toolweave/starlark";
import type { Value } from "@toolweave/starlark";

test("a value function receives functions of the script, and a thread calls them", async () => {
  const messages: unknown[] = [];
  const attempt = valueFunction("t.attempt", async ([fn], { named, context }) => {
    try {
      return await new Thread({}).call(fn as Value, []);
    } catch (error) {
      messages.push((error as Error).message, named["hint"], context);
      return null;
    }
  });
  const program = compile(
    "def f(t):\n    t.attempt(lambda: fail('no'), hint = 7)\n    return [1]",
    {
      predeclared: [],
    },
  );
  const module = await load(program);
  const t = hostModule("t", { attempt: attempt as never });
  await new Thread({ context: "host" }).call(module.get("f"), [t]);
  expect(messages).toEqual(["fail: no", 7, "host"]);
});
