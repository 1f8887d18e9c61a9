import { ToolExecutor, ToolRegistry, type Tool } from "@toolweave/core";
import { describe, expect, it, test } from "vitest";
import { mapTools, type MappedTools, type ToolMapping } from "../../src/skills/map-tools.ts";
import { readToolReferences, type ToolReference } from "../../src/skills/tool-references.ts";
import { readFrontMatter } from "../../src/text/front-matter.ts";
import type { Finding } from "../../src/text/finding.ts";

function references(list: string, isSpaced = true): readonly ToolReference[] {
  const findings: Finding[] = [];
  const front = readFrontMatter("a.md", `---\ntools: ${list}\n---\n`);
  const read = readToolReferences(front, "tools", { isSpaced, max: 50 }, findings);
  expect([...front.findings, ...findings]).toEqual([]);
  return read ?? [];
}

function map(list: string, mapping?: ToolMapping): MappedTools {
  return mapTools(references(list), mapping);
}

const available = [
  "read_file",
  "write_file",
  "edit_file",
  "apply_patch",
  "list_files",
  "search",
  "bash",
  "bash_output",
  "bash_kill",
  "web_fetch",
  "todo",
  "skill__pdf",
  "read_skill_file",
  "code-reviewer",
  "github__get_issue",
  "github__add_comment",
  "get_pet",
];

test.each([
  ["Read", ["read_file"]],
  ["Read Write", ["read_file", "write_file"]],
  ["Read, Edit", ["apply_patch", "edit_file", "read_file"]],
  ["Grep Glob", ["list_files", "search"]],
  ["Bash", ["bash", "bash_kill", "bash_output"]],
  ["mcp__github__get_issue", ["github__get_issue"]],
  ["mcp__github", ["github__add_comment", "github__get_issue"]],
  ["mcp__github__*", ["github__add_comment", "github__get_issue"]],
  ["github/get_issue", ["github__get_issue"]],
  ["'github/*'", ["github__add_comment", "github__get_issue"]],
  ["get_pet", ["get_pet"]],
  ["Skill(pdf)", ["read_skill_file", "skill__pdf"]],
  ["Agent(code-reviewer)", ["code-reviewer"]],
  ["execute search", ["bash", "bash_kill", "bash_output", "list_files", "search"]],
  ["web", ["web_fetch"]],
])("%s means %j", (list, names) => {
  const { selection, findings } = map(list, { available });
  expect(selection).toEqual({ include: names });
  expect(findings).toEqual([]);
});

test("a name that no tool has is a finding with its place, and gives nothing", () => {
  const { selection, findings } = map("Read Teleport mcp__gone__x", { available });
  expect(selection).toEqual({ include: ["read_file"] });
  expect(findings.map(({ line, column, code }) => [line, column, code])).toEqual([
    [2, 13, "unknown_tool"],
    [2, 22, "unknown_tool"],
  ]);
});

test("no name gives no tool, and no list gives all", () => {
  expect(mapTools([], { available }).selection).toEqual({ include: [] });
  expect(mapTools(undefined, { available }).selection).toEqual({});
  expect(map("Teleport", { available }).selection).toEqual({ include: [] });
});

test("names that are excluded are taken away", () => {
  const { selection } = mapTools(undefined, { available }, references("Write, Edit", false));
  expect(selection).toEqual({ exclude: ["apply_patch", "edit_file", "write_file"] });
});

test("without the host's tools, names of servers are globs", () => {
  expect(map("mcp__github Read").selection).toEqual({ include: ["github__*", "read_file"] });
});

test("the host can map names itself", () => {
  const { selection, findings } = map("WebSearch", {
    available: ["find_page"],
    toolNames: { websearch: ["find_page"] },
  });
  expect(selection).toEqual({ include: ["find_page"] });
  expect(findings).toEqual([]);
});

test("a pattern that cannot be enforced is a finding", () => {
  const { selection, findings } = map('"Read(./docs/**)"', { available });
  expect(selection).toEqual({ include: ["read_file"] });
  expect(findings.map(({ code }) => code)).toEqual(["pattern_ignored"]);
});

describe("commands of Bash", () => {
  /** The decision of a policy about the commands of a script. */
  const decide = async (list: string, commands: readonly string[]): Promise<string> => {
    const { policy } = map(list, { available });
    const bash: Tool = {
      spec: {
        name: "bash",
        description: "Runs.",
        inputSchema: { type: "object" },
        annotations: {},
        provenance: { adapter: "code" },
      },
      preflight: () =>
        commands.map((target) => ({ kind: "process", target, summary: `Run ${target}` })),
      invoke: () => "done",
    };
    const executor = new ToolExecutor({
      registry: new ToolRegistry([bash]),
      policy: policy === undefined ? "autonomous" : ["autonomous", policy],
    });
    const { effect } = await executor.explain({ name: "bash", arguments: {} });
    return effect;
  };

  it("that a pattern names are left, others are denied", async () => {
    const list = '"Bash(git:*) Bash(npm run test) Read"';
    expect(await decide(list, ["git status"])).toBe("allow");
    expect(await decide(list, ["git"])).toBe("allow");
    expect(await decide(list, ["npm run test"])).toBe("allow");
    expect(await decide(list, ["npm run test:all"])).toBe("deny");
    expect(await decide(list, ["gitk"])).toBe("deny");
    expect(await decide(list, ["git status", "rm -rf x"])).toBe("deny");
  });

  it("that may run others are asked about", async () => {
    expect(await decide('"Bash(git:*)"', ["git log $(rm x)"])).toBe("ask");
    expect(await decide('"Bash(git *)"', ["git status; rm x"])).toBe("ask");
  });

  it("are all left if one entry has no pattern", async () => {
    expect(await decide('"Bash(git:*) Bash"', ["rm x"])).toBe("allow");
    expect(await decide('"Bash(*)"', ["rm x"])).toBe("allow");
  });

  it("are limited without a limit for the other tools that are named", () => {
    const { policy } = map('"Bash(git:*) Read"', { available });
    expect(policy).toMatchObject({
      default: "deny",
      rules: expect.arrayContaining([
        expect.objectContaining({
          effect: "allow",
          tools: expect.arrayContaining(["read_file", "bash_output"]),
        }),
      ]),
    });
  });
});

test("what is no list of names is an error with its place", () => {
  const findings: Finding[] = [];
  for (const list of ["{ Read: true }", "[1]", "Read; rm", "3"]) {
    const front = readFrontMatter("a.md", `---\ntools: ${list}\n---\n`);
    readToolReferences(front, "tools", { isSpaced: false, max: 1 }, findings);
  }
  const front = readFrontMatter("a.md", "---\ntools: A, B\n---\n");
  readToolReferences(front, "tools", { isSpaced: false, max: 1 }, findings);
  expect(findings.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual([
    "2:8 wrong_type",
    "2:8 wrong_type",
    "2:8 invalid_tool",
    "2:8 wrong_type",
    "2:1 too_many",
  ]);
});
