import { expect, test } from "vitest";
import { compile, hostModule, run, Thread, type Program, format, load } from "../src/index.ts";

test.each<[make: () => unknown, error: string]>([
  [() => compile(undefined as never), "text is undefined; use the text of a program."],
  [() => compile(5 as never), "text is 5; use the text of a program."],
  [() => compile("", { dialect: "x" as never }), 'dialect is x; use "artifact" or "session".'],
  [() => compile("", { dialect: { wile: true } as never }), "dialect: the feature is wile; use"],
  [() => compile("", { dialect: { while: 1 as never } }), "while is 1; use true or false."],
  [() => hostModule(undefined as never, {}), "hostModule: name is undefined; use a text."],
  [() => hostModule("a", undefined as never), "hostModule: members is undefined; use an object"],
  [() => format(5 as never), "format: text is 5; use the text of a program."],
  [() => new Thread(null as never), "new Thread: options is null; use an object."],
  [() => new Thread({ maxSteps: NaN }), "run: maxSteps is NaN; use 0 or more."],
  [() => new Thread({ timeoutMs: NaN }), "run: timeoutMs is NaN; use 0 or more."],
  [() => new Thread({ maxMemoryBytes: NaN }), "run: maxMemoryBytes is NaN; use 0 or more."],
  [() => new Thread({ sliceMs: "3" as never }), "run: sliceMs is 3; use 0 or more."],
])("a value of the wrong kind is an error: %#", (make, error) => {
  expect(make).toThrow(TypeError);
  expect(make).toThrow(error);
});

test.each<[program: Program, options: object, error: string]>([
  [undefined as never, {}, "run: program is undefined; use compile(text)."],
  [compile("x = 1"), { args: 5 }, "run: args is 5; use a list."],
  [compile("x = 1"), { maxSteps: NaN }, "run: maxSteps is NaN; use 0 or more."],
])("a run with a value of the wrong kind rejects: %#", async (program, options, error) => {
  await expect(run(program, options)).rejects.toThrow(error);
});

test("a program of the wrong kind is not loaded", async () => {
  await expect(load(undefined as never)).rejects.toThrow("load: program is undefined; use compile");
});
