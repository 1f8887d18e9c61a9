import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import type { Finding } from "../../src/text/finding.ts";
import { readSkill } from "../../src/skills/read-skill.ts";
import { readSkills } from "../../src/skills/skills-source.ts";
import { fixtures, createFolder, skillText, write } from "./temp-folder.ts";

function toLine({ file, line, column, severity, code }: Finding): string {
  return `${file}:${line}:${column} ${severity} ${code}`;
}

test("the 30 skills of the fixtures load without a finding", async () => {
  const { skills, findings } = await readSkills(join(fixtures, "good"));
  expect(findings).toEqual([]);
  expect(skills).toHaveLength(30);
  for (const { description, body, files, frontMatter, name } of skills) {
    expect(description).not.toBe("");
    expect(body).toMatch(/^# /);
    expect(files.map(({ path }) => path)).toContain("SKILL.md");
    expect(frontMatter["name"]).toBe(name);
  }
});

test("each broken rule of the fixtures is a finding with its place", async () => {
  const { skills, findings } = await readSkills(join(fixtures, "bad"));
  expect(findings.map(toLine)).toEqual([
    "-edge-/SKILL.md:2:7 error invalid_name",
    "Upper-Case/SKILL.md:2:7 error invalid_name",
    "colon-trap/SKILL.md:3:14 error yaml_colon",
    "custom-tag/SKILL.md:3:40 error yaml_tag",
    "duplicate-key/SKILL.md:4:1 error duplicate_key",
    "empty-body/SKILL.md:5:1 warning empty_body",
    "empty-description/SKILL.md:3:14 error empty_field",
    "long-compatibility/SKILL.md:4:16 error too_long",
    "long-description/SKILL.md:3:14 error too_long",
    "metadata-types/SKILL.md:5:12 warning metadata_type",
    "metadata-types/SKILL.md:6:9 warning metadata_type",
    "missing-description/SKILL.md:1:1 error missing_field",
    "missing-name/SKILL.md:1:1 error missing_field",
    "no-file/SKILL.md:1:1 error missing_skill_file",
    "no-front-matter/SKILL.md:1:1 error no_front_matter",
    "suspicious/SKILL.md:3:14 warning suspicious_text",
    "suspicious/SKILL.md:3:14 warning suspicious_text",
    "suspicious/SKILL.md:3:14 warning suspicious_text",
    "two--hyphens/SKILL.md:2:7 error invalid_name",
    "unknown-key/SKILL.md:4:1 warning unknown_key",
    "unknown-tools/SKILL.md:4:21 warning unknown_tool",
    "wrong-name/SKILL.md:2:7 error name_mismatch",
    "wrong-types/SKILL.md:4:10 error wrong_type",
    "wrong-types/SKILL.md:5:16 error wrong_type",
  ]);
  // A warning leaves the skill.
  expect(skills.map(({ name }) => name)).toEqual([
    "empty-body",
    "metadata-types",
    "suspicious",
    "unknown-key",
    "unknown-tools",
  ]);
});

test("the colon trap has a hint that can be copied", async () => {
  const { skill, findings } = await readSkill(join(fixtures, "bad/colon-trap"));
  expect(skill).toBeUndefined();
  expect(findings).toMatchObject([
    {
      message: "the text of description has a colon and a space, which YAML reads as another key",
      hint: "Put the text in quotes: description: 'Use when: a file is broken, or a person asks'",
    },
  ]);
});

test("all fields of the specification are read", async () => {
  const folder = createFolder({
    "full/SKILL.md": [
      "---",
      "name: full",
      "description: >-",
      "  Does everything.",
      "  Use it always.",
      "license: MIT",
      "compatibility: git",
      "metadata:",
      '  version: "1.0"',
      "allowed-tools: Bash(git add:*) Read, mcp__github__get_issue",
      "---",
      "# Full",
    ].join("\n"),
  });
  const { skill, findings } = await readSkill(join(folder, "full"));
  expect(findings).toEqual([]);
  expect(skill).toMatchObject({
    name: "full",
    description: "Does everything. Use it always.",
    license: "MIT",
    compatibility: "git",
    metadata: { version: "1.0" },
    body: "# Full",
    place: { file: "full/SKILL.md", line: 2, column: 7 },
  });
  expect(skill?.allowedTools).toMatchObject([
    {
      text: "Bash(git add:*)",
      name: "Bash",
      pattern: "git add:*",
      place: { line: 10, column: 16 },
    },
    { text: "Read", name: "Read", place: { line: 10, column: 32 } },
    {
      text: "mcp__github__get_issue",
      name: "mcp__github__get_issue",
      place: { line: 10, column: 38 },
    },
  ]);
});

test("limits count characters: 1024 of a description and 64 of a name are accepted", async () => {
  const name = "a".repeat(64);
  const long = `${name}b`;
  const folder = createFolder({
    [`${name}/SKILL.md`]: `---\nname: ${name}\ndescription: ${"😀".repeat(1024)}\n---\n# A\n`,
    [`${long}/SKILL.md`]: skillText(long),
  });
  expect((await readSkill(join(folder, name))).findings).toEqual([]);
  expect((await readSkill(join(folder, long))).findings.map(toLine)).toEqual([
    `${long}/SKILL.md:2:7 error too_long`,
  ]);
});

test("keys of a client are accepted; those that would change rights are reported as without effect", async () => {
  const more = "model: opus\nargument-hint: a file\nhooks: {}\ndisallowed-tools: Write\n";
  const folder = createFolder({ "one/SKILL.md": skillText("one", more) });
  const { skill, findings } = await readSkill(join(folder, "one"));
  expect(findings.map(toLine)).toEqual([
    "one/SKILL.md:6:1 warning ignored_key",
    "one/SKILL.md:7:1 warning ignored_key",
  ]);
  expect(skill?.frontMatter).toMatchObject({ model: "opus", "disallowed-tools": "Write" });
});

describe("files of a skill", () => {
  it("are listed with their sizes, but for hidden and generated ones", async () => {
    const folder = createFolder({
      "one/SKILL.md": skillText("one"),
      "one/references/guide.md": "# Guide\n",
      "one/.env": "TOKEN=1",
      "one/.git/config": "",
      "one/node_modules/x/index.js": "",
      "one/scripts/__pycache__/x.pyc": "",
    });
    const { skill } = await readSkill(join(folder, "one"));
    expect(skill?.files).toEqual([
      { path: "SKILL.md", size: skillText("one").length },
      { path: "references/guide.md", size: 8 },
    ]);
  });

  it("that are links out of the folder are left out with a finding, others are read", async () => {
    const folder = createFolder({
      "secret.txt": "secret",
      "one/SKILL.md": skillText("one"),
      "one/references/guide.md": "# Guide\n",
    });
    symlinkSync("../../secret.txt", join(folder, "one/references/out.md"));
    symlinkSync("..", join(folder, "one/up"));
    symlinkSync("guide.md", join(folder, "one/references/same.md"));
    symlinkSync("references", join(folder, "one/docs"));
    symlinkSync("nowhere", join(folder, "one/broken"));
    const { skill, findings } = await readSkill(join(folder, "one"));
    expect(skill?.files.map(({ path }) => path)).toEqual([
      "SKILL.md",
      "references/guide.md",
      "references/same.md",
    ]);
    expect(findings.map(toLine)).toEqual([
      "one/broken:1:1 warning broken_link",
      "one/docs:1:1 warning link_to_folder",
      "one/references/out.md:1:1 warning link_outside",
      "one/up:1:1 warning link_outside",
    ]);
  });

  it("that are too large or too many are findings", async () => {
    const folder = createFolder({
      "one/SKILL.md": skillText("one"),
      "one/large.bin": new Uint8Array(256 * 1024 + 1),
      ...Object.fromEntries(Array.from({ length: 520 }, (_, n) => [`one/x/${n}.md`, ""])),
    });
    const { skill, findings } = await readSkill(join(folder, "one"));
    expect(skill?.files).toHaveLength(512);
    expect(findings.map(toLine)).toEqual([
      "one/:1:1 warning too_many_files",
      "one/large.bin:1:1 warning file_too_large",
    ]);
  });
});

describe("a skill is not read if its SKILL.md", () => {
  const readCode = async (folder: string): Promise<string | undefined> =>
    (await readSkill(join(folder, "one"))).findings.find(({ severity }) => severity === "error")
      ?.code;

  it("leads out of the folder", async () => {
    const folder = createFolder({ "other.md": skillText("one"), "one/a.md": "" });
    symlinkSync("../other.md", join(folder, "one/SKILL.md"));
    expect(await readCode(folder)).toBe("link_outside");
  });

  it("is too large", async () => {
    const folder = createFolder({ "one/SKILL.md": skillText("one", "", "x".repeat(256 * 1024)) });
    expect(await readCode(folder)).toBe("file_too_large");
  });

  it("is no text, or has no end of its front matter", async () => {
    const folder = createFolder({ "one/SKILL.md": Uint8Array.from([0xff, 0xfe, 0x00]) });
    expect(await readCode(folder)).toBe("not_text");
    write(folder, { "one/SKILL.md": "---\nname: one\n\n# One\n" });
    expect(await readCode(folder)).toBe("front_matter_not_closed");
  });

  it("is a folder, or the folder does not exist", async () => {
    const folder = createFolder({ "one/SKILL.md/a": "" });
    expect(await readCode(folder)).toBe("missing_skill_file");
    expect((await readSkill(join(folder, "none"))).findings).toMatchObject([
      { code: "unreadable" },
    ]);
  });
});

describe("a folder of skills", () => {
  it("that is a skill itself has this one, and one that does not exist is a finding", async () => {
    const { skills } = await readSkills(join(fixtures, "good/csv-cleaning"));
    expect(skills.map(({ name }) => name)).toEqual(["csv-cleaning"]);
    expect(await readSkills(join(fixtures, "none"))).toMatchObject({
      skills: [],
      findings: [{ code: "folder_missing", severity: "warning" }],
    });
    await expect(readSkills(5 as never)).rejects.toThrow("readSkills: folders is 5; use a text");
  });

  it("may not have a link to a skill elsewhere", async () => {
    const folder = createFolder({ "elsewhere/one/SKILL.md": skillText("one"), "skills/a.md": "" });
    symlinkSync("../elsewhere/one", join(folder, "skills/one"));
    const { skills, findings } = await readSkills(join(folder, "skills"));
    expect(skills).toEqual([]);
    expect(findings.map(toLine)).toEqual(["one:1:1 error link_outside"]);
  });

  it("is read after others: a skill of the same name is an error that names both", async () => {
    const folder = createFolder({
      "a/one/SKILL.md": skillText("one"),
      "b/one/SKILL.md": skillText("one"),
    });
    const [a, b] = [join(folder, "a"), join(folder, "b")];
    const { skills, findings } = await readSkills([a, b]);
    expect(skills).toHaveLength(1);
    expect(findings).toMatchObject([
      { code: "duplicate_name", message: `the skill one of ${b} has the name of one of ${a}` },
    ]);
  });
});
