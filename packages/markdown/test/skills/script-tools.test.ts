import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type JsonObject, type JsonValue } from "@toolweave/core";
import { expect, onTestFinished, test } from "vitest";
import { skillsSource, type SkillsSource } from "../../src/skills/skills-source.ts";
import { fixtures, createFolder, skillText, write } from "./temp-folder.ts";

interface Opened {
  readonly source: SkillsSource;
  readonly executor: ToolExecutor;
  call(name: string, args: JsonObject): Promise<JsonValue | undefined>;
}

/** Calls a script of a folder of skills with the runner of the package. */
async function open(folder: string): Promise<Opened> {
  const source = skillsSource(folder, { id: "skills" });
  const registry = new ToolRegistry([source]);
  await registry.ready;
  onTestFinished(() => registry.close());
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const call = async (name: string, args: JsonObject): Promise<JsonValue | undefined> => {
    const outcome = await executor.execute({ id: crypto.randomUUID(), name, arguments: args });
    if (outcome.status === "interrupted") throw new Error("interrupted");
    return outcome.status === "failed" ? outcome.error.code : outcome.result.value;
  };
  return { source, call, executor };
}

test("scripts of the fixtures run with the runner of the package", async () => {
  const { call, source } = await open(join(fixtures, "good"));
  expect(source.findings).toEqual([]);
  const args = { items: [{ amount: 10.5 }, { amount: 4.5 }], total: 15 };
  expect(await call("invoice-extraction__check_total", args)).toEqual({ sum: 15, matches: true });
  expect(await call("unit-converter__convert", { from: "in", to: "cm", value: 2 })).toEqual({
    value: 5.08,
    unit: "cm",
  });
  expect(await call("unit-converter__convert", { from: "in", to: "kg", value: 2 })).toEqual({
    error: "units must be known, and of one kind",
  });
  // The schema beside the script holds.
  expect(await call("invoice-extraction__check_total", {})).toBe("invalid_arguments");
});

test("a script that changes is another tool after a refresh", async () => {
  const folder = createFolder({
    "one/SKILL.md": skillText("one"),
    "one/scripts/a.star": "def run(args):\n    return 1\n",
  });
  const { source, call } = await open(folder);
  expect(await call("one__a", {})).toBe(1);
  write(folder, { "one/scripts/a.star": "def run(args):\n    return 2\n" });
  await source.refresh();
  expect(await call("one__a", {})).toBe(2);
});

test("neither reading a skill nor a script without effects needs an approval", async () => {
  const { executor } = await open(join(fixtures, "good"));
  const supervised = new ToolExecutor({ registry: executor.registry });
  const explain = async (name: string, args: JsonObject): Promise<string> =>
    (await supervised.explain({ name, arguments: args })).effect;
  expect(await explain("list_skills", {})).toBe("allow");
  expect(await explain("read_skill", { name: "csv-cleaning" })).toBe("allow");
  expect(await explain("unit-converter__convert", { from: "in" })).toBe("allow");
});
