import { join } from "node:path";
import { ToolRegistry } from "@toolweave/core";
import { expect, test } from "vitest";
import type { ToolArtifact } from "../../src/artifact/artifact.ts";
import { readToolFile } from "../../src/artifact/read-artifact.ts";
import { exportSkill, toSkillName } from "../../src/skills/export-skill.ts";
import { exportSkills } from "../../src/skills/export-skills.ts";
import { readSkill } from "../../src/skills/read-skill.ts";
import { readScripts } from "../../src/skills/script-tools.ts";
import { skillsSource } from "../../src/skills/skills-source.ts";
import { createFolder, write } from "./temp-folder.ts";

const tool = `---
parameters:
  command: { type: string, required: true, description: "What to run: one | line" }
  dir: { type: string }
script: |
  def run(args):
      return exec.run("bash", ["-lc", args["command"]], 15000)
timeout_ms: 30000
---

# run_command

Run a shell command: use it for builds.
`;

function parseArtifact(text = tool, file = "run_command.md"): ToolArtifact {
  const { artifact, findings } = readToolFile(file, text);
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  return artifact!;
}

test("a tool is exported as a skill that loads without an error", async () => {
  const { name, files } = exportSkill(parseArtifact());
  expect(name).toBe("run-command");
  expect([...files.keys()]).toEqual(["SKILL.md", "scripts/run.star", "scripts/run.schema.json"]);
  const folder = createFolder();
  for (const [path, text] of files) write(folder, { [`${name}/${path}`]: text });
  const { skill, findings } = await readSkill(join(folder, name));
  expect(findings).toEqual([]);
  expect(skill).toMatchObject({
    name: "run-command",
    metadata: { "toolweave-tool": "run_command" },
  });
  expect(skill?.description).toContain("Run a shell command: use it for builds.");
  expect(skill?.body).toContain(String.raw`| command | string | yes | What to run: one \| line |`);
  expect(skill?.body).toContain("within 30000 ms");
});

test("the source of skills makes the same tool of it again", async () => {
  const artifact = parseArtifact();
  const { name, files } = exportSkill(artifact);
  const folder = createFolder();
  for (const [path, text] of files) write(folder, { [`${name}/${path}`]: text });
  const source = skillsSource(folder);
  await new ToolRegistry([source]).ready;
  const read = await Promise.all(source.skills.map((skill) => readScripts(skill)));
  const made = read.flatMap(({ artifacts }) => artifacts);
  expect(made).toHaveLength(1);
  expect(made[0]).toMatchObject({
    name: "run-command__run",
    description: artifact.description,
    inputSchema: artifact.inputSchema,
    script: { text: artifact.script?.text },
  });
});

test("texts of a file cannot break the front matter or the blocks of the skill", async () => {
  const description = 'One: "two"\n---\nname: other\n```\n<!--';
  const nested = { type: "object", properties: {}, oneOf: [{ title: "```" }] };
  const artifact = { ...parseArtifact(), description, inputSchema: nested };
  const { name, files } = exportSkill(artifact);
  const folder = createFolder();
  for (const [path, text] of files) write(folder, { [`${name}/${path}`]: text });
  const { skill, findings } = await readSkill(join(folder, name));
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(skill?.name).toBe("run-command");
  expect(skill?.description).toBe('One: "two" --- name: other ``` <!--');
});

test("names of tools become names of skills", () => {
  expect(toSkillName("run_command")).toBe("run-command");
  expect(toSkillName("getPets__byId")).toBe("getpets-byid");
  expect(toSkillName("___")).toMatch(/^tool-[0-9a-z]{7}$/);
  const long = toSkillName(`${"a".repeat(40)}_${"b".repeat(40)}`);
  expect(long).toMatch(/^a{40}-b+-[0-9a-z]{7}$/);
  expect(long).toHaveLength(64);
});

test("a tool without a script has nothing to export", () => {
  const { script: _script, ...artifact } = parseArtifact();
  expect(() => exportSkill(artifact)).toThrow("run_command has no script");
});

test("files of a folder are exported, with a finding for each that cannot be", async () => {
  const folder = createFolder({
    "run_command.md": tool,
    "run-command.md": tool,
    "beside.md": "---\nscript_file: beside.star\n---\n\nFrom a file beside it.\n",
    "beside.star": "def run(args):\n    return 1\n",
    "host.md": "---\nparameters: {}\n---\n\nThe host runs it.\n",
    "broken.md": "no front matter\n",
    "notes.txt": "",
    "deeper/x.md": tool,
  });
  const { skills, findings } = await exportSkills(folder);
  expect(skills.map(({ name }) => name)).toEqual(["beside", "run-command"]);
  expect(skills[0]?.files.get("scripts/run.star")).toBe("def run(args):\n    return 1\n");
  expect(
    findings
      .filter(({ severity }) => severity === "error")
      .map(({ file, code }) => `${file} ${code}`),
  ).toEqual(["broken.md no_front_matter", "host.md no_script", "run_command.md duplicate_name"]);
  const one = await exportSkills(join(folder, "run_command.md"));
  expect(one.skills.map(({ name }) => name)).toEqual(["run-command"]);
  await expect(exportSkills(join(folder, "none"))).rejects.toThrow("ENOENT");
});
