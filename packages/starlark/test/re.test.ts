import { expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { compile, run } from "../src/index.ts";
import type { HostValue, StarlarkError } from "../src/index.ts";
import { regexModule } from "../src/re.ts";

const re = regexModule();

async function evaluate(expression: string, args: HostValue[] = []): Promise<HostValue> {
  const program = compile(`def f(*args): return ${expression}`, { predeclared: ["re"] });
  return (await run(program, { call: "f", args, predeclared: { re } })).value;
}

test("match is anchored, search is not; groups follow the match", async () => {
  expect(await evaluate("re.match(r'(\\w+)-(\\d+)?', 'ab-12 c')")).toEqual(["ab-12", "ab", "12"]);
  expect(await evaluate("re.match(r'b', 'ab')")).toBeNull();
  expect(await evaluate("re.search(r'(é)(x)?', 'aéb')")).toEqual(["é", "é", null]);
});

test("findall, replace and split work on all matches", async () => {
  expect(await evaluate("re.findall(r'\\d+', 'a1b22')")).toEqual(["1", "22"]);
  expect(await evaluate("re.find_all('x', 'y')")).toEqual([]);
  expect(await evaluate("re.replace('[aé]', 'aéb', '-')")).toBe("--b");
  expect(await evaluate("re.split(r',\\s*', 'a, b,c')")).toEqual(["a", "b", "c"]);
});

test("an invalid pattern and one with a back reference are errors", async () => {
  await expect(evaluate("re.match('(', 'a')")).rejects.toThrow("re: error parsing regexp");
  await expect(evaluate("re.match(r'(a)\\1', 'aa')")).rejects.toThrow("re: error parsing regexp");
});

const text = "a".repeat(inFullRun(100_000, 20_000));
const patterns = [
  "(a+)+$",
  "(a|a)*$",
  "(a|aa)+$",
  "(a*)*b",
  "a*a*a*a*a*b",
  "(.*)(.*)(.*)(.*)c",
  "(a?){50}a{50}b",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(\\w+\\s?)*$",
  "([a-zA-Z0-9_.-]+)*@",
  "(?:a+){10}b",
  "(x+x+)+y",
  "(.|\\n)*?b",
  "(a+|b+|c+)*d",
  "((a+)*)*$",
  "[a-z]*[a-z]*[a-z]*1",
  "(?:(?:a*)*)*b",
  "(aa?)*b",
  "a{1,500}b",
  "(a{1,30}){1,30}b",
  ".*.*.*.*=.*",
  "(\\d|\\w|a)*!",
];

test.each(patterns)("the pattern %s ends soon on a long text, or is refused", async (pattern) => {
  const start = process.cpuUsage();
  const outcome = await evaluate("re.search(args[0], args[1])", [pattern, text]).then(
    () => "done",
    (error: unknown) => (error as StarlarkError).code,
  );
  const { user } = process.cpuUsage(start);
  expect(["done", "limit_exceeded"]).toContain(outcome);
  expect(user / 1000).toBeLessThanOrEqual(inFullRun(250, Infinity));
});
