import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compile,
  hostFunction,
  hostModule,
  json,
  load,
  math,
  run,
  StarlarkError,
  toHost,
  toStarlark,
} from "../src/index.ts";
import type { HostFunction, HostValue, Module } from "../src/index.ts";

const identity = compile("def f(x): return x");

test.for<[name: string, value: HostValue, expected?: HostValue]>([
  ["null", null],
  ["undefined is None", undefined, null],
  ["an int", 7],
  ["a large int", 2n ** 80n],
  ["a small bigint is an int", 5n, 5],
  ["a float", 1.5],
  ["text", "é世😿"],
  ["a lone surrogate", "\ud800", "\ufffd"],
  ["bytes", Uint8Array.of(0, 255)],
  ["a list", [1, ["a"]]],
  ["an object", { a: 1, b: { c: null } }],
  ["a map with other keys", new Map<HostValue, HostValue>([[1, "a"]])],
  ["a set", new Set([1, "a"])],
])("%s goes in and out", async ([, value, expected]) => {
  const result = await run(identity, { call: "f", args: [value] });
  expect(result.value).toEqual(expected === undefined ? value : expected);
});

test("JSON goes in and out, and through json.encode and json.decode", async () => {
  const program = compile("def f(x): return json.decode(json.encode(x))", {
    predeclared: ["json"],
  });
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as HostValue;
      const { value: result } = await run(program, {
        call: "f",
        args: [plain],
        predeclared: { json },
      });
      const text = JSON.stringify(result, (_, part: unknown) =>
        typeof part === "bigint" ? Number(part) : part,
      );
      expect(JSON.parse(text)).toEqual(plain);
    }),
  );
});

test("a function, a symbol and an instance of a class have no Starlark value", () => {
  for (const value of [() => 1, Symbol("a"), new Date()]) {
    expect(() => toStarlark(value as never)).toThrow("has no Starlark value");
  }
  const cyclic: HostValue[] = [];
  cyclic.push(cyclic);
  expect(() => toStarlark(cyclic)).toThrow("nested too deeply");
  expect(() => toHost(math)).toThrow("a module has no value for the host");
});

test("functions of the host get converted arguments, may be asynchronous, and are methods of modules", async () => {
  const calls: unknown[] = [];
  const http = hostModule("http", {
    get: async (args, { named }) => {
      calls.push(args, named);
      await Promise.resolve();
      return { status: 200, ok: true };
    },
    version: "1.1",
  });
  const double = hostFunction("double", ([x]) => 2 * (x as number));
  const program = compile(
    "def f():\n  r = [http.get(u, timeout = 5)['status'] + double(1) for u in ['a', 'b']]\n  return (r, http.version, str(http))",
    { predeclared: ["http", "double"] },
  );
  const { value } = await run(program, { call: "f", predeclared: { http, double } });
  expect(value).toEqual([[202, 202], "1.1", '<module "http">']);
  expect(calls).toEqual([["a"], { timeout: 5 }, ["b"], { timeout: 5 }]);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("no é route");
    },
  ],
  [
    "rejects",
    async () => {
      await Promise.resolve();
      throw new Error("no é route");
    },
  ],
])(
  "an error of a function that %s ends the script with its message and the place of the call",
  async (_, call) => {
    const fetch = hostFunction("net.fetch", call as HostFunction);
    const program = compile("def f():\n  return fetch()\nf()", {
      file: "a.star",
      predeclared: ["fetch"],
    });
    const error = await run(program, { predeclared: { fetch } }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StarlarkError);
    const { code, traceback } = error as StarlarkError;
    expect(code).toBe("execution_failed");
    expect(traceback).toContain("  a.star:2:15: in f\nError in net.fetch: no é route");
  },
);

test("functions and lambdas of a script can be called by a function of the host", async () => {
  const program = compile("def f(xs): return [apply(lambda x: x + 1, x) for x in xs]", {
    predeclared: ["apply"],
  });
  const { Builtin } = await import("../src/values/function.ts");
  const { Thread } = await import("../src/run/thread.ts");
  const apply = new Builtin("apply", async ([fn, x]) => {
    await Promise.resolve();
    return new Thread().call(fn as never, [x as never]);
  });
  const { value } = await run(program, { call: "f", args: [[1, 2]], predeclared: { apply } });
  expect(value).toEqual([2, 3]);
});

test("load gives the frozen globals of another module, and names what is missing", async () => {
  const library = await load(
    compile("def double(x): return 2 * x\nnames = []\nnothing = None\n_private = 1", {
      file: "lib.star",
    }),
  );
  const find = async (name: string): Promise<Module> => {
    await Promise.resolve();
    if (name !== "lib.star") throw new Error("no such file");
    return library;
  };
  const main = compile(
    "load('lib.star', 'double', 'nothing', n = 'names')\ndef f(x): return [nothing, double(x) + len(n)]",
  );
  expect((await run(main, { call: "f", args: [4], load: find })).value).toEqual([null, 8]);
  const failing = async (source: string): Promise<string> => {
    const error = await run(compile(source), { load: find }).catch((reason: unknown) => reason);
    return (error as StarlarkError).message;
  };
  expect(await failing("load('lib.star', 'dubble')")).toBe(
    "load: name dubble not found in module lib.star (did you mean double?)",
  );
  expect(await failing("load('x.star', 'a')")).toBe("cannot load x.star: no such file");
  await expect(
    run(compile("load('lib.star', 'names')\nnames.append(1)"), { load: find }),
  ).rejects.toThrow("frozen list");
});

test("print goes to the host", async () => {
  const lines: string[] = [];
  await run(compile("print('a', 1, [2], sep='-')\nprint()"), {
    print: (line) => void lines.push(line),
  });
  expect(lines).toEqual(["a-1-[2]", ""]);
});

test("every operation can be watched, with its place", async () => {
  const lines = new Set<number>();
  const source = "def f(x):\n  if x:\n    return 1\n  return 2\n\ny = f(True)\n";
  const program = compile(source);
  await load(program, {
    onOperation: ({ offset }) => void lines.add(program.source.position(offset).line),
  });
  expect([...lines].toSorted((left, right) => left - right)).toEqual([1, 2, 3, 6]);
});

test("json keeps ints, floats and order, and names the place of a fault", async () => {
  const encode = async (source: string): Promise<HostValue> => {
    const program = compile(`def f(): return ${source}`, { predeclared: ["json"] });
    return (await run(program, { call: "f", predeclared: { json } })).value;
  };
  expect(await encode('json.encode({"b": [1, 1.0, None, True], "a": "\\u2028<é\\n"})')).toBe(
    '{"a":"\\u2028\\u003cé\\n","b":[1,1.0,null,true]}',
  );
  expect(
    await encode("[type(x) for x in json.decode('[1, 1.0, 1e2, 123456789012345678901234567890]')]"),
  ).toEqual(["int", "float", "float", "int"]);
  expect(await encode("json.decode('nope', default = 3)")).toBe(3);
  expect(await encode("json.encode_indent([1, {}], indent = '  ')")).toBe("[\n  1,\n  {}\n]");
  await expect(encode("json.decode('[1 2]')")).rejects.toThrow(
    "json.decode: at offset 3, got '2', want ',' or ']'",
  );
  await expect(encode("json.encode([{'a': len}])")).rejects.toThrow(
    'json.encode: at list index 0: in dict key "a": cannot encode builtin_function_or_method as JSON',
  );
});

test("a predeclared name without a value is an error of the host, and values of it are frozen", async () => {
  const program = compile("x.append(1)", { file: "a.star", predeclared: ["x"] });
  await expect(run(program)).rejects.toThrow(
    new TypeError("The predeclared name x of a.star has no value."),
  );
  await expect(run(program, { predeclared: { x: toStarlark([]) } })).rejects.toThrow(
    "cannot append to frozen list",
  );
});

test("a loaded module is called any number of times, each with its own budget", async () => {
  const module = await load(compile("def f(name, n = 1): return [name] * n"));
  expect(await module.call("f", ["é"])).toEqual(["é"]);
  expect(await module.call("f", ["é"], { named: { n: 2 } })).toEqual(["é", "é"]);
  await expect(
    module.call("f", ["a"], { named: { n: 1000 }, maxMemoryBytes: 1000 }),
  ).rejects.toThrow("memory budget");
  await expect(module.call("g", [])).rejects.toThrow("the program has no function g");
});

test.each([
  '"".constructor',
  "[].__proto__",
  "{}.__class__",
  "len.call",
  "math.__proto__",
  "f.constructor",
  '"%(constructor)s" % {}',
  '"{constructor}".format()',
  '"{__proto__}".format()',
  '{}["__proto__"]',
  'getattr([], "constructor")',
  "give().constructor",
])("%s reaches nothing of the host's language", async (expression) => {
  const program = compile(`def f(): return repr(${expression})`, { predeclared: ["math", "give"] });
  const give = hostFunction("give", () => ({ a: 1 }));
  await expect(run(program, { call: "f", predeclared: { math, give } })).rejects.toMatchObject({
    code: "execution_failed",
  });
});

test("keys such as __proto__ are keys like any other", async () => {
  const program = compile("def f(d): return give(**d)", { predeclared: ["give"] });
  const seen: unknown[] = [];
  const give = hostFunction("give", (_, { named }) => {
    seen.push(Object.keys(named), Object.getPrototypeOf(named) === Object.prototype);
    return named;
  });
  const { value } = await run(program, {
    call: "f",
    args: [JSON.parse('{"__proto__": 1}') as HostValue],
    predeclared: { give },
  });
  expect(seen).toEqual([["__proto__"], true]);
  expect(Object.keys(value as object)).toEqual(["__proto__"]);
});

test("a member of a module can be None", async () => {
  const program = compile("def f(): return [none.value]", { predeclared: ["none"] });
  const predeclared = { none: hostModule("none", { value: null }) };
  expect((await run(program, { call: "f", predeclared })).value).toEqual([null]);
});
