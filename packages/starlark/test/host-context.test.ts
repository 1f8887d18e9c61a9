import { describe, expect, test } from "vitest";
import { compile, hostFunction, hostModule, run, StarlarkError } from "@toolweave/starlark";

describe("a text that is a part of a file", () => {
  const text = "def f():\n    return 1 // 0\n";
  const start = { line: 11, column: 5 };

  test("has the places of the file in errors and tracebacks", async () => {
    const program = compile(text, { file: "tool.md", start });
    const error = await run(program, { call: "f" }).catch((reason: unknown) => reason);
    expect((error as StarlarkError).position).toEqual({ file: "tool.md", line: 12, column: 18 });
  });

  test("has the places of the file in the faults of its text", () => {
    let error: unknown;
    try {
      compile("x = (\n", { file: "tool.md", start });
    } catch (reason) {
      error = reason;
    }
    expect((error as StarlarkError).problems[0]?.position).toMatchObject({ line: 12, column: 5 });
  });
});

describe("the context of a run", () => {
  test("reaches the functions of the host, so that they can be made once", async () => {
    const predeclared = { who: hostFunction("who", (_, { context }) => context as string) };
    const program = compile("def f(): return who()", { predeclared: ["who"] });
    const results = ["one", "two"].map((context) =>
      run(program, { call: "f", predeclared, context }),
    );
    expect((await Promise.all(results)).map(({ value }) => value)).toEqual(["one", "two"]);
  });
});

describe("a module that can be called", () => {
  test("is a function with members", async () => {
    const lines: string[] = [];
    const write =
      (level: string) =>
      ([message]: readonly unknown[]): null => {
        lines.push(`${level} ${String(message)}`);
        return null;
      };
    const log = hostModule("log", { warn: write("warn") }, { call: write("info") });
    const program = compile('def f():\n    log("a")\n    log.warn("b")\n    return dir(log)', {
      predeclared: ["log"],
    });
    const { value } = await run(program, { call: "f", predeclared: { log } });
    expect(lines).toEqual(["info a", "warn b"]);
    expect(value).toEqual(["warn"]);
  });
});
