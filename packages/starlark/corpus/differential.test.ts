import { afterAll, expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { compile, load } from "../src/host/program.ts";
import { json } from "../src/lib/json.ts";
import { StarlarkError } from "../src/values/error.ts";
import { suiteTexts } from "./support/chunks.ts";
import { ProgramGenerator } from "./support/generate-program.ts";
import { mutate } from "./support/mutate.ts";
import { buildOracle, Oracle, type OracleResult } from "./support/oracle.ts";
import { Random } from "./support/random.ts";

const program = buildOracle();
const oracle = program === undefined ? undefined : new Oracle(program);
if (oracle === undefined) {
  console.log(
    "not run: the comparison with starlark-go needs Debian's golang-go and golang-starlark-dev",
  );
}
afterAll(() => oracle?.close());

interface Outcome {
  readonly output: string;
  readonly error: string;
  /** All faults of the text. */
  readonly faults?: readonly string[];
}

async function runOurs(source: string): Promise<Outcome> {
  let output = "";
  const print = (text: string): void => {
    output += `${text}\n`;
  };
  try {
    const compiled = compile(source, { file: "p.star", predeclared: ["json"] });
    await load(compiled, { predeclared: { json }, print, maxSteps: 20_000_000 });
    return { output, error: "" };
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    const faults = error.problems.length > 0 ? error.traceback.split("\n") : [];
    return { output, error: faults[0] ?? error.traceback, faults };
  }
}

function toOutcome(result: OracleResult): Outcome {
  return {
    output: result.output,
    error: result.trace === "" ? (result.error.split("\n")[0] as string) : result.trace,
  };
}

const place = /p\.star:\d+:\d+/g;
const withoutPlaces = (text: string): string => text.replaceAll(place, "");

/** A known difference between the starlark-go of 2021 and the current one, or between it and this interpreter. */
interface Difference {
  readonly name: string;
  readonly explains: (theirs: Outcome, ours: Outcome, source: string) => boolean | Promise<boolean>;
}

const differences: readonly Difference[] = [
  {
    name: "the place of a fault in the text: 2021 reports the end of the token",
    explains: (theirs, ours) =>
      !theirs.error.startsWith("Traceback") &&
      theirs.error !== "" &&
      withoutPlaces(theirs.error) === withoutPlaces(ours.error),
  },
  {
    name: "the place of a failed slice: starlark-go reports an operand, this interpreter the bracket",
    explains: (theirs, ours) =>
      /invalid (?:slice|start|end)|zero is not a valid slice/.test(theirs.error) &&
      withoutPlaces(theirs.error) === withoutPlaces(ours.error),
  },
  {
    name: "hash() of characters above U+FFFF: the specification asks for the hash of Java",
    explains: (_theirs, _ours, source) => source.includes("hash(") && source.includes("😿"),
  },
  {
    name: "this interpreter reports all faults of a text in order, starlark-go one",
    explains: (theirs, ours) =>
      ours.faults?.map(withoutPlaces).includes(withoutPlaces(theirs.error)) === true,
  },
  {
    name: "a NUL is an error; for starlark-go it ends the text",
    explains: (_theirs, _ours, source) => source.includes("\u0000"),
  },
  {
    name: "starlark-go adds the function that was not entered, since its arguments do not fit",
    explains: (theirs, ours) =>
      /Error: function \w+ (?:accepts|missing|got)/.test(theirs.error) &&
      theirs.error.split("\n").at(-1) === ours.error.split("\n").at(-1),
  },
  {
    name: "JSON has floats with a fraction or an exponent since 2021",
    // The same program without JSON has no difference.
    explains: async (_theirs, _ours, source) =>
      source.includes("json.encode") && (await isSame(source.replaceAll("json.encode", "str"))),
  },
  {
    name: "set, abs and bytes are new names, and names of the language are suggested",
    explains: (theirs, ours) =>
      /undefined: /.test(theirs.error) &&
      (/undefined: \w+ \(did/.test(ours.error) || /undefined: (?:abs|bytes)/.test(theirs.error)),
  },
  {
    name: "new literals: bytes, \\u and \\U, and escapes above 127 are errors in text",
    explains: (theirs, ours, source) =>
      /\\[xuU0-7]|\bb["']|rb["']/.test(source) && (theirs.error !== "" || ours.error !== ""),
  },
  {
    name: "operations and texts of errors that are new since 2021",
    explains: (theirs) =>
      /dict \| dict|keyword argument|unexpected keyword|got multiple values|want (?:string|int)|does not support while|base must be/.test(
        theirs.error,
      ),
  },
  {
    name: "reserved words are named; starlark-go calls them illegal tokens",
    explains: (theirs, ours) =>
      theirs.error.includes("illegal token") && /got \w+/.test(ours.error),
  },
  {
    name: "load has no modules here, and 2021 had no check of underscores",
    explains: (theirs, ours) => /load/.test(theirs.error) || /load/.test(ours.error),
  },
];

const prelude = `
def assert_eq(x, y):
    if x != y:
        fail("%r != %r" % (x, y))
def assert_ne(x, y):
    if x == y:
        fail("%r == %r" % (x, y))
def assert_(cond, msg="assertion failed"):
    if not cond:
        fail(msg)
`;

/** A chunk that asserts with functions, as neither interpreter has the module \`assert\` here. */
function toPlainAssertions(text: string): string {
  return text
    .replaceAll(/^load\(.assert.*$/gm, "")
    .replaceAll(/\bassert\.(eq|ne)\(/g, "assert_$1(")
    .replaceAll("assert.true(", "assert_(")
    .replaceAll(/\bassert\.(?:fails|lt|contains|fail)\(/g, "print(");
}

async function isSame(source: string): Promise<boolean> {
  const result = await oracle?.run(source);
  if (result === undefined) return false;
  const theirs = toOutcome(result);
  const ours = await runOurs(source);
  return theirs.output === ours.output && theirs.error === ours.error;
}

const fired = new Map<string, number>();

async function compare(source: string): Promise<string | undefined> {
  const result = await oracle?.run(source);
  // A program that ends the oracle's process is a fault of the oracle.
  if (result === undefined) return undefined;
  const theirs = toOutcome(result);
  const ours = await runOurs(source);
  if (theirs.output === ours.output && theirs.error === ours.error) return undefined;
  for (const { name, explains } of differences) {
    if (await explains(theirs, ours, source)) {
      fired.set(name, (fired.get(name) ?? 0) + 1);
      return undefined;
    }
  }
  return JSON.stringify({ theirs, ours, source });
}

test.skipIf(oracle === undefined)(
  "generated programs have the output and the errors of starlark-go, but for known differences",
  async () => {
    const faults: string[] = [];
    for (let seed = 1; seed <= inFullRun(20_000, 500); seed++) {
      const fault = await compare(new ProgramGenerator(new Random(seed)).generate());
      if (fault !== undefined) faults.push(`seed ${seed}: ${fault}`);
    }
    expect(faults).toEqual([]);
  },
);

test.skipIf(oracle === undefined)(
  "mutated chunks of the suites have the output and the errors of starlark-go, but for known differences",
  async () => {
    const texts = suiteTexts().map(toPlainAssertions);
    const random = new Random(5);
    const faults: string[] = [];
    for (const text of texts) {
      for (let round = 0; round < inFullRun(3, 1); round++) {
        const fault = await compare(prelude + mutate(random, text));
        if (fault !== undefined) faults.push(fault);
      }
    }
    expect(faults).toEqual([]);
  },
);

test.skipIf(oracle === undefined || !inFullRun(true, false))(
  "every known difference is met",
  () => {
    expect(differences.map(({ name }) => name).filter((name) => !fired.has(name))).toEqual([]);
  },
);
