import { StarlarkError } from "../../src/values/error.ts";
import { compile, load } from "../../src/host/program.ts";
import type { Dialect } from "../../src/syntax/tree.ts";
import { parseFile } from "../../src/syntax/parser.ts";
import { resolveFile } from "../../src/resolve/resolver.ts";
import { SourceText } from "../../src/syntax/source-text.ts";
import type { Chunk } from "./chunks.ts";
import { testHost } from "./test-host.ts";

/** The faults of a chunk; empty if it passes. */
type Faults = string[];

function toDialect(list: Iterable<string>): Dialect {
  const options = new Set(list);
  return {
    set: options.has("set"),
    while: options.has("while") || options.has("recursion"),
    topLevelControl: options.has("toplevelcontrol"),
    globalReassign: options.has("globalreassign"),
    loadBindsGlobally: options.has("loadbindsglobally"),
    recursion: options.has("recursion"),
  };
}

interface Found {
  readonly line: number;
  readonly message: string;
}

function toFound(error: unknown, file: string): Found[] {
  if (!(error instanceof StarlarkError)) throw error;
  if (error.problems.length > 0) {
    return error.problems.map(({ position, message }) => ({ line: position.line, message }));
  }
  const frame = error.callStack.findLast(({ position }) => position?.file === file);
  return [{ line: frame?.position?.line ?? 0, message: error.message }];
}

function compareErrors(chunk: Chunk, found: readonly Found[]): Faults {
  const open = [...chunk.expected];
  const faults: Faults = [];
  for (const { line, message } of found) {
    const index = open.findIndex(
      (expected) => expected.line === line && new RegExp(expected.pattern).test(message),
    );
    if (index === -1) faults.push(`unexpected error in line ${line}: ${message}`);
    else open.splice(index, 1);
  }
  for (const expected of open)
    faults.push(`no error in line ${expected.line} that matches ${expected.pattern}`);
  return faults;
}

/** Runs a chunk of starlark-go's tests of the interpreter. */
async function runGoChunk(chunk: Chunk, stepwise: boolean): Promise<Faults> {
  const faults: Faults = [];
  const host = testHost((message) => faults.push(message), stepwise);
  const options = { stepwise, maxMemoryBytes: 2 ** 40 };
  const file = chunk.file.slice(chunk.file.lastIndexOf("/") + 1);
  try {
    const program = compile(chunk.text, {
      file,
      dialect: toDialect(chunk.options),
      predeclared: Object.keys(host.predeclared),
    });
    await load(program, { ...options, ...host });
    return [...faults, ...compareErrors(chunk, [])];
  } catch (error) {
    return [...faults, ...compareErrors(chunk, toFound(error, file))];
  }
}

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

/** Runs a chunk of Bazel's tests. */
async function runBazelChunk(chunk: Chunk, stepwise: boolean): Promise<Faults> {
  const program = compile(prelude, { file: "prelude.star" });
  const { globals } = await load(program, { stepwise });
  let message: string | undefined;
  try {
    const compiled = compile(chunk.text, {
      file: chunk.file,
      predeclared: [...globals.keys()],
      dialect: { set: false },
    });
    await load(compiled, {
      predeclared: Object.fromEntries(globals) as Record<string, never>,
      stepwise,
    });
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    message = error.traceback;
  }
  const pattern = chunk.expected[0]?.pattern;
  if (pattern === undefined) return message === undefined ? [] : [`unexpected error: ${message}`];
  if (message === undefined) return [`no error that matches ${pattern}`];
  return matches(message, pattern) ? [] : [`${message} does not match ${pattern}`];
}

function matches(message: string, pattern: string): boolean {
  if (message.toLowerCase().includes(pattern.toLowerCase())) return true;
  try {
    return new RegExp(pattern, "i").test(message);
  } catch {
    return false;
  }
}

/** Checks a chunk of the tests of the resolver. */
function checkResolverChunk(chunk: Chunk): Faults {
  const source = new SourceText(chunk.file, chunk.text);
  const parsed = parseFile(chunk.text, { fstrings: false });
  const { problems } = resolveFile(parsed, {
    source,
    dialect: toDialect(chunk.options),
    predeclared: new Set(chunk.text.match(/\bM\w*/g)),
    universal: new Set([...(chunk.text.match(/\bU\w*/g) ?? []), "float"]),
  });
  const all = [...parsed.problems, ...problems];
  return compareErrors(
    chunk,
    all.map(({ offset, message }) => ({ line: source.position(offset).line, message })),
  );
}

/** Checks a chunk of the tests of the parser, which expect its first error only. */
function checkSyntaxChunk(chunk: Chunk): Faults {
  const source = new SourceText(chunk.file, chunk.text);
  const { problems } = parseFile(chunk.text, { fstrings: false });
  const first = problems.slice(0, 1);
  const expected = chunk.expected.slice(0, 1);
  return compareErrors(
    { ...chunk, expected },
    first.map(({ offset, message }) => ({ line: source.position(offset).line, message })),
  );
}

/** The chunks of all suites. */
export interface AllChunks {
  readonly bazel: readonly Chunk[];
  readonly go: readonly Chunk[];
  readonly resolver: readonly Chunk[];
  readonly syntax: readonly Chunk[];
}

/** Runs all chunks, those of programs at once and suspended after every operation. */
export async function runAll(
  chunks: AllChunks,
): Promise<{ readonly passed: number; readonly faults: readonly string[] }> {
  let passed = 0;
  const faults: string[] = [];
  const check = async (
    list: readonly Chunk[],
    run: (chunk: Chunk) => Faults | Promise<Faults>,
  ): Promise<void> => {
    for (const chunk of list) {
      const found = await run(chunk);
      if (found.length === 0) passed++;
      faults.push(...found.map((fault) => `${chunk.file}:${chunk.line}: ${fault}`));
    }
  };
  for (const stepwise of [false, true]) {
    await check(chunks.bazel, (chunk) => runBazelChunk(chunk, stepwise));
    await check(chunks.go, (chunk) => runGoChunk(chunk, stepwise));
  }
  await check(chunks.resolver, checkResolverChunk);
  await check(chunks.syntax, checkSyntaxChunk);
  return { passed, faults };
}
