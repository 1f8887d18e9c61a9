import { compile, run, StarlarkError } from "@toolweave/starlark";
import { describe, expect, test } from "vitest";
import { bundleKeys, hookKeys, toolKeys } from "../../src/artifact/keys.ts";
import { keysAt } from "../../src/lsp/front-matter/keys.ts";
import { methods, universeConstants, universeFunctions } from "../../src/lsp/language/universe.ts";

async function evaluate(expression: string): Promise<unknown> {
  const program = compile(`result = ${expression}\ndef get():\n    return result\n`, {
    dialect: "session",
  });
  return (await run(program, { call: "get", args: [] })).value;
}

describe("the table of the language", () => {
  test.each([
    ["string", '""'],
    ["list", "[]"],
    ["dict", "{}"],
    ["set", "set()"],
    ["bytes", 'b""'],
    ["tuple", "()"],
    ["int", "1"],
    ["float", "1.0"],
    ["bool", "True"],
    ["None", "None"],
    ["function", "len"],
  ] as const)("has the methods of the type %s", async (type, value) => {
    const names = [...(methods.get(type)?.keys() ?? [])];
    expect(names.toSorted()).toEqual(await evaluate(`dir(${value})`));
  });

  test("has only names that every script has", () => {
    for (const name of [...universeFunctions.keys(), ...universeConstants])
      expect(() => compile(`x = ${name}\n`, { dialect: "session" })).not.toThrow();
  });

  // The functions of Python, and of starlark-go.
  const candidates =
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr depset dict dir divmod enumerate eval exec fail filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len list locals map max memoryview min module next object oct open ord partial pow print property provider range repr reversed round select set setattr slice sorted staticmethod str struct sum super tuple type vars zip".split(
      " ",
    );

  test.each(candidates)("has %s if scripts have it", (name) => {
    let isKnown = true;
    try {
      compile(`x = ${name}\n`, { dialect: "session" });
    } catch (error) {
      if (!(error instanceof StarlarkError)) throw error;
      isKnown = false;
    }
    expect(universeFunctions.has(name)).toBe(isKnown);
  });

  test("has a signature and a sentence for each function", () => {
    const callables = [universeFunctions, ...methods.values()].flatMap((table) => [
      ...table.values(),
    ]);
    const incomplete = callables.filter(
      ({ doc, label, name }) => !label.startsWith(`${name}(`) || !doc.endsWith("."),
    );
    expect(incomplete).toEqual([]);
  });

  test.each([...universeFunctions.values()].filter(({ parameters }) => parameters.length > 0))(
    "names the parameters of $name that can be named",
    async ({ name, parameters }) => {
      const named = parameters.filter(({ isNamed }) => isNamed);
      for (const parameter of named) {
        const call = `${name}(${name === "int" ? '"1"' : "[1]"}, ${parameter.name}=${
          { base: "10", key: "str", reverse: "True", sep: '","' }[parameter.name] ?? "None"
        })`;
        const failure = await evaluate(call).catch(String);
        expect(String(failure)).not.toContain("unexpected keyword");
      }
    },
  );
});

describe("the keys of front matter", () => {
  test.each([
    ["tool", toolKeys],
    ["hook", hookKeys],
    ["bundle", bundleKeys],
  ] as const)("of a %s are those that are read, each with its documentation", (kind, keys) => {
    const known = keysAt(kind, []);
    expect(known.map(({ name }) => name).toSorted()).toEqual(keys.toSorted());
    expect(known.filter(({ doc }) => doc === "")).toEqual([]);
  });

  test("of entries of a list are those of tools and hooks", () => {
    const names = (list: string): readonly string[] =>
      keysAt("inline", [list, 0]).map(({ name }) => name);
    expect(names("tools").toSorted()).toEqual(toolKeys.toSorted());
    expect(names("hooks").toSorted()).toEqual(hookKeys.toSorted());
  });
});
