import { symlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type JsonObject, type ToolOutcome } from "@toolweave/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { readScripts } from "../../src/skills/script-tools.ts";
import type { ToolArtifact } from "../../src/artifact/artifact.ts";
import {
  skillsSource,
  type SkillsSource,
  type SkillsSourceOptions,
} from "../../src/skills/skills-source.ts";
import { fixtures, createFolder, skillText, write } from "./temp-folder.ts";

interface Opened {
  readonly source: SkillsSource;
  readonly names: readonly string[];
  readonly executor: ToolExecutor;
  call(name: string, args?: JsonObject): Promise<ToolOutcome>;
}

async function open(folder: string, options: SkillsSourceOptions = {}): Promise<Opened> {
  const source = skillsSource(folder, { id: "skills", ...options });
  const registry = new ToolRegistry([source]);
  await registry.ready;
  // The strictest preset that reads: skills need no approval.
  const executor = new ToolExecutor({ registry, policy: "readOnly" });
  onTestFinished(() => registry.close());
  const call = (name: string, args: JsonObject = {}): Promise<ToolOutcome> =>
    executor.execute({ id: crypto.randomUUID(), name, arguments: args });
  return { source, executor, names: [...registry.toolset().names()], call };
}

function readText(outcome: ToolOutcome): string {
  if (outcome.status === "interrupted") throw new Error("interrupted");
  return (outcome.result?.content ?? [])
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("\n");
}

describe("a source of skills", () => {
  it("has a tool for each skill, with its description, and one that reads files", async () => {
    const folder = createFolder({
      "one/SKILL.md": skillText("one", "", "# One\n\nDo it.\n"),
      "one/references/guide.md": "# Guide\n",
      "two/SKILL.md": skillText("two"),
    });
    const { names, executor, call } = await open(folder);
    expect(names).toEqual(["read_skill_file", "skill__one", "skill__two"]);
    expect(executor.registry.toolset().get("skill__one")?.spec.description).toBe("About one.");
    const text = readText(await call("skill__one"));
    expect(text).toContain("# One\n\nDo it.");
    expect(text).toContain("- references/guide.md (8 bytes)");
    expect(text).not.toContain("# Guide");
    expect(readText(await call("skill__two"))).toBe("# two");
    const file = await call("read_skill_file", { name: "one", path: "references/guide.md" });
    expect(readText(file)).toBe("# Guide\n");
  });

  it("has two tools in place of one for each above the limit", async () => {
    const { names, call } = await open(join(fixtures, "good"), { scripts: false });
    expect(names).toEqual(["list_skills", "read_skill", "read_skill_file"]);
    const list = await call("list_skills");
    expect(list.status === "completed" && list.result.value).toHaveLength(30);
    expect(readText(await call("read_skill", { name: "csv-cleaning" }))).toContain(
      "scripts/profile.py",
    );
    const wrong = readText(await call("read_skill", { name: "csv-cleanin" }));
    expect(wrong).toContain("Did you mean csv-cleaning");
    expect(
      (await open(join(fixtures, "good"), { maxSkillTools: 30, scripts: false })).names,
    ).toHaveLength(31);
  });

  it("gives files that are no text as base64", async () => {
    const folder = createFolder({
      "one/SKILL.md": skillText("one"),
      "one/assets/mark.bin": Uint8Array.from([0, 255, 7]),
    });
    const { call } = await open(folder);
    const outcome = await call("read_skill_file", { name: "one", path: "assets/mark.bin" });
    expect(outcome.status === "completed" && outcome.result.value).toEqual({
      encoding: "base64",
      size: 3,
      data: "AP8H",
    });
  });

  it("reads nothing outside of a skill, whatever the path is", async () => {
    const folder = createFolder({
      "secret.txt": "a secret",
      "one/SKILL.md": skillText("one"),
      "one/references/guide.md": "# Guide\n",
    });
    symlinkSync("../secret.txt", join(folder, "one/link.txt"));
    const { call } = await open(folder);
    for (const path of [
      "../secret.txt",
      "references/../../secret.txt",
      join(folder, "secret.txt"),
      "link.txt",
      "..\\secret.txt",
      "references",
      "./SKILL.md",
      "",
      "none.md",
    ]) {
      const outcome = await call("read_skill_file", { name: "one", path });
      expect(outcome.status).toBe("failed");
      expect(readText(outcome)).not.toContain("a secret");
    }
    // A file that was replaced by a link since the skills were read.
    rmSync(join(folder, "one/references/guide.md"));
    symlinkSync("../../secret.txt", join(folder, "one/references/guide.md"));
    const outcome = await call("read_skill_file", { name: "one", path: "references/guide.md" });
    expect(readText(outcome)).toContain("leads out of the folder");
  });

  it("does not give a file of more than 256 KiB", async () => {
    const folder = createFolder({
      "one/SKILL.md": skillText("one"),
      "one/large.md": "x".repeat(256 * 1024 + 1),
      "one/fits.md": "x".repeat(256 * 1024),
    });
    const { call } = await open(folder);
    expect(readText(await call("read_skill_file", { name: "one", path: "large.md" }))).toContain(
      "at most 262144 can be read",
    );
    const fits = await call("read_skill_file", { name: "one", path: "fits.md" });
    expect(fits.status === "completed" && fits.result.isError).toBe(false);
  });

  it("reports findings as problems, and leaves the other skills", async () => {
    const { source, names } = await open(join(fixtures, "bad"));
    expect(names).toContain("skill__unknown-key");
    expect(source.findings.length).toBe(source.problems.length);
    expect(source.problems).toContainEqual({
      subject: "wrong-name/SKILL.md:2:7",
      message:
        'the name "another-name" is not that of the folder, "wrong-name". Give both the same name.',
      severity: "error",
    });
  });

  it("reads again when it is asked to: instructions change with the same tool", async () => {
    const folder = createFolder({ "one/SKILL.md": skillText("one", "", "# Old\n") });
    const { source, call, executor } = await open(folder);
    write(folder, {
      "one/SKILL.md": skillText("one", "", "# New\n"),
      "two/SKILL.md": skillText("two"),
    });
    await source.refresh();
    expect(readText(await call("skill__one"))).toBe("# New");
    expect([...executor.registry.toolset().names()]).toContain("skill__two");
  });

  it("has no tools if there are no skills", async () => {
    expect((await open(createFolder())).names).toEqual([]);
    expect((await open("/does/not/exist")).names).toEqual([]);
  });

  it("does not accept an invalid limit", () => {
    expect(() => skillsSource("x", { maxSkillTools: -1 })).toThrow("maxSkillTools");
    expect(() => skillsSource("x", { limit: 1 } as never)).toThrow("limit");
  });
});

describe("scripts of skills", () => {
  const toArtifacts = async (
    folder: string,
  ): Promise<{
    readonly artifacts: readonly ToolArtifact[];
    readonly names: readonly string[];
  }> => {
    const { names, source } = await open(folder, { maxSkillTools: 0 });
    const read = await Promise.all(source.skills.map((skill) => readScripts(skill)));
    return { artifacts: read.flatMap(({ artifacts }) => artifacts), names };
  };

  it("are tools if they are Starlark with run, and files otherwise", async () => {
    const { artifacts, names } = await toArtifacts(join(fixtures, "good"));
    expect(artifacts.map(({ name }) => name)).toEqual([
      "house-energy__demand",
      "invoice-extraction__check_total",
      "recipe-scaling__scale",
      "unit-converter__convert",
    ]);
    expect(names).toEqual(expect.arrayContaining(artifacts.map(({ name }) => name)));
    const [energy, invoice] = artifacts;
    expect(energy).toMatchObject({
      description: "Returns kWh for each year and square metre, by degree hours.",
      inputSchema: { type: "object" },
      place: { file: "house-energy/scripts/demand.star", line: 1, column: 1 },
      annotations: {},
      access: {},
    });
    expect(invoice).toMatchObject({
      description: "Compares the items of an invoice with its total.",
      inputSchema: { required: ["items", "total"] },
    });
  });

  it("are files alone if the host says so", async () => {
    const { names } = await open(join(fixtures, "good"), { maxSkillTools: 0, scripts: false });
    expect(names).toEqual(["list_skills", "read_skill", "read_skill_file"]);
  });

  it("have canonical names, also for a skill that begins with a digit", async () => {
    const script = "def run(args):\n    return 1\n";
    const { artifacts } = await toArtifacts(
      createFolder({
        "3d/SKILL.md": skillText("3d"),
        "3d/scripts/a b.star": script,
        "3d/scripts/lib.star": "x = 1\n",
        "3d/scripts/deep/c.star": script,
      }),
    );
    expect(artifacts.map(({ name }) => name)).toEqual(["_3d__a_b"]);
  });

  it("with a schema that is none are findings", async () => {
    const folder = createFolder({
      "one/SKILL.md": skillText("one"),
      "one/scripts/a.star": "def run(args):\n    return 1\n",
      "one/scripts/a.schema.json": "[]",
    });
    const { source } = await open(folder);
    expect(source.findings.map(({ code }) => code)).toEqual(["invalid_schema"]);
  });
});
