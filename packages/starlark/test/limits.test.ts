import { expect, test } from "vitest";
import { compile, hostFunction, Journal, load, run, StarlarkError } from "../src/index.ts";
import type { RunOptions } from "../src/index.ts";

const endless = compile("for i in range(1 << 60):\n  x = i % 7\n", {
  dialect: "session",
  file: "loop.star",
});

async function failure(
  options: RunOptions,
  program: typeof endless = endless,
): Promise<StarlarkError> {
  const error = await run(program, options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StarlarkError);
  return error as StarlarkError;
}

test("steps end a script at the same place, however it is sliced", async () => {
  const source =
    "def f(n):\n  total = 0\n  for i in range(n):\n    if i % 3:\n      total += len(str(i))\n    total = g(total)\n  return total\ndef g(x):\n  return [y for y in (x, x + 1)][1]\nf(10000)";
  const program = compile(source, { file: "p.star" });
  for (const maxSteps of [10, 57, 1000, 4321]) {
    const places = await Promise.all(
      [{}, { stepwise: true }, { sliceMs: 0 }].map(async (options) => {
        const error = await failure({ maxSteps, ...options }, program);
        expect(error.code).toBe("limit_exceeded");
        return error.traceback;
      }),
    );
    expect(new Set(places).size).toBe(1);
  }
});

test("the time of a script is bounded; the time that functions of the host take does not count", async () => {
  let now = 0;
  const clock = (): number => (now += 0.2);
  const error = await failure({ timeoutMs: 50, now: clock });
  expect([error.code, error.message]).toEqual(["timeout", "the script ran for more than 50 ms"]);
  expect(now).toBeLessThan(80);
  now = 0;
  const wait = hostFunction("wait", async () => {
    await Promise.resolve();
    now += 1000;
    return null;
  });
  const waiting = compile("def f():\n  wait()\n  return 1", { predeclared: ["wait"] });
  const { value } = await run(waiting, {
    call: "f",
    predeclared: { wait },
    timeoutMs: 50,
    now: clock,
  });
  expect(value).toBe(1);
});

test("a signal ends a script that computes and one that waits", async () => {
  const computing = new AbortController();
  const turns: NodeJS.Immediate[] = [setImmediate(() => computing.abort())];
  expect((await failure({ signal: computing.signal })).code).toBe("cancelled");
  const waiting = new AbortController();
  const sleep = hostFunction("sleep", () => {
    turns.push(setImmediate(() => waiting.abort()));
    return new Promise<null>(() => undefined);
  });
  const program = compile("sleep()", { predeclared: ["sleep"] });
  const error = await failure({ signal: waiting.signal, predeclared: { sleep } }, program);
  expect(error.code).toBe("cancelled");
  expect(turns.length).toBe(2);
});

test("scripts that run at the same time take turns, and other work is done in between", async () => {
  const order: string[] = [];
  const program = compile(
    "def f(name):\n  for i in range(5):\n    for j in range(1000): pass\n    note(name)",
    {
      predeclared: ["note"],
    },
  );
  const note = hostFunction("note", ([name]) => void order.push(name as string));
  await Promise.all(
    ["a", "b"].map((name) =>
      run(program, { call: "f", args: [name], predeclared: { note }, sliceMs: 0 }),
    ),
  );
  expect(order.toSorted()).toEqual(["a", "a", "a", "a", "a", "b", "b", "b", "b", "b"]);
  expect(order.slice(0, 5)).toContain("b");
});

test("a run says how much it took", async () => {
  const { steps, memoryBytes } = await run(compile("def f(): return [x for x in range(1000)]"), {
    call: "f",
  });
  expect(steps).toBeGreaterThan(1000);
  expect(steps).toBeLessThan(3000);
  expect(memoryBytes).toBeGreaterThan(16_000);
  expect(memoryBytes).toBeLessThan(100_000);
});

test("an error that the host's own code causes is no limit of the script, and the next run works", async () => {
  const broken = hostFunction("broken", () => [].reduce((left) => left));
  const program = compile("broken()", { predeclared: ["broken"] });
  expect((await failure({ predeclared: { broken } }, program)).code).toBe("execution_failed");
  expect((await load(compile("x = 1"))).globals.get("x")).toBe(1);
});

test.each([
  ["without a journal", undefined],
  ["with a journal", new Journal({ maxBytes: 2 ** 30 })],
])("the results of asynchronous functions are charged, %s", async (_, journal) => {
  const read = hostFunction("read", async () => {
    await Promise.resolve();
    return "a".repeat(100_000);
  });
  const program = compile("def f(): return len([read() for i in range(1000)])", {
    predeclared: ["read"],
  });
  const options = { call: "f", predeclared: { read }, maxMemoryBytes: 1_000_000 };
  const error = await failure(journal === undefined ? options : { ...options, journal }, program);
  expect(error.code).toBe("limit_exceeded");
});

test.each([
  ["list", "x = [1]\n    for i in range(60): x = [x, x]\n    return x"],
  ["string", "return ['é' * 1000] * 1000000"],
  ["bytes", "return [b'a' * 1000] * 1000000"],
  ["set", "return [set(range(1000))] * 100000"],
])("a result that has a %s many times is charged for all of them", async (_, body) => {
  const program = compile(`def f():\n    ${body}`, { dialect: "session" });
  expect((await failure({ call: "f" }, program)).code).toBe("limit_exceeded");
  const module = await load(program);
  await expect(module.call("f", [])).rejects.toMatchObject({ code: "limit_exceeded" });
});

const shared = "x = [1]\nfor i in range(60):\n    x = [x, x]\nf(x)";
test.each([
  ["a string, as arguments of an effect", "f(['x' * 10000000] * 1000)", new Journal()],
  ["a string, as arguments without a journal", "f(['x' * 10000000] * 1000)", undefined],
  ["a list, as arguments of an effect", shared, new Journal()],
  ["a list, as arguments without a journal", shared, undefined],
])("values that share members are bounded outside of the script: %s", async (_, text, journal) => {
  let calls = 0;
  const f = hostFunction("f", () => void (calls += 1));
  const program = compile(text, { dialect: "session", predeclared: ["f"] });
  const error = await run(program, {
    predeclared: { f },
    maxSteps: 1_000_000,
    ...(journal === undefined ? {} : { journal }),
  }).catch((reason: unknown) => reason);
  expect((error as StarlarkError).code).toBe("limit_exceeded");
  expect(calls).toBe(0);
});
