import { expect, test } from "vitest";
import { project } from "./support/project.ts";

const tool = `---
parameters:
  name: { type: string, required: true, description: Who is greeted }
script: |
  def run(args):
      return "Hello, %s" % args["name"]
---

# greet_person

Greets a person: by name.
`;

test("export --skill writes a skill for each tool, and nothing twice", async () => {
  const { run, read, write } = project();
  write("tools/greet_person.md", tool);
  const first = await run(["export", "--skill", "tools", "--output", ".claude/skills"]);
  expect(first).toEqual({ code: 0, stdout: ".claude/skills/greet-person\n", stderr: "" });
  expect(read(".claude/skills/greet-person/SKILL.md")).toContain('name: "greet-person"');
  expect(read(".claude/skills/greet-person/scripts/run.star")).toContain("def run(args):");
  const schema = JSON.parse(read(".claude/skills/greet-person/scripts/run.schema.json"));
  expect(schema).toMatchObject({ type: "object", required: ["name"] });
  const second = await run(["export", "--skill", "tools", "--output", ".claude/skills"]);
  expect(second.stdout).toBe(".claude/skills/greet-person is up to date\n");
});

test("export --skill replaces a file that differs with --force alone", async () => {
  const { run, read, write } = project();
  write("tools/greet_person.md", tool);
  write("tools/other.md", tool);
  write("skills/greet-person/SKILL.md", "mine\n");
  const refused = await run(["export", "--skill", "tools"]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("1 file would be replaced. Use --force");
  expect(refused.stderr).toContain("skills/greet-person/SKILL.md");
  expect(read("skills/greet-person/SKILL.md")).toBe("mine\n");
  expect(() => read("skills/other/SKILL.md")).toThrow("ENOENT");
  expect((await run(["export", "--skill", "tools", "--force"])).code).toBe(0);
  expect(read("skills/greet-person/SKILL.md")).toContain("Greets a person: by name.");
});

test("export --skill --json has the skills and the findings, and writes tools without errors", async () => {
  const { run, write } = project();
  write("tools/greet_person.md", tool);
  write("tools/host.md", "---\nparameters: {}\n---\n\nThe host runs it.\n");
  write("tools/broken.md", "---\nscript: [1]\n---\n");
  const { code, stdout, stderr } = await run(["export", "--skill", "tools", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    skills: [
      {
        name: "greet-person",
        folder: "skills/greet-person",
        files: ["SKILL.md", "scripts/run.star", "scripts/run.schema.json"],
        changed: true,
      },
    ],
    findings: expect.arrayContaining([
      expect.objectContaining({ file: "host.md", code: "no_script", severity: "error" }),
      expect.objectContaining({ file: "broken.md", severity: "error" }),
    ]),
  });
  expect(stderr).toContain("host.md:1:1: error no_script: host has no script");
});

test("export says what to write instead of a wrong command line", async () => {
  const { run, write } = project();
  write("tools/greet_person.md", tool);
  const noForm = await run(["export", "tools"]);
  expect(noForm.code).toBe(2);
  expect(noForm.stderr).toContain("--skill");
  const missing = await run(["export", "--skill", "none"]);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain("none cannot be read (ENOENT)");
  write("file", "");
  const noFolder = await run(["export", "--skill", "tools", "--output", "file"]);
  expect(noFolder.code).toBe(2);
  expect(noFolder.stderr).toContain("cannot be read (ENOTDIR)");
  const help = await run(["export", "--help"]);
  expect(help.stdout).toContain("toolweave export --skill .toolweave/tools");
});
