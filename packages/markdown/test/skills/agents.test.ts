import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type Tool,
  type ToolOutcome,
} from "@toolweave/core";
import { subAgentTool, type SubAgentOptions } from "@toolweave/subagent";
import { expect, test } from "vitest";
import { agentArtifacts, readAgent } from "../../src/skills/read-agents.ts";
import { readSkill } from "../../src/skills/read-skill.ts";
import { toSkillAgentOptions, toSubAgentOptions } from "../../src/skills/sub-agent-options.ts";
import { fixtures, createFolder, skillText, write } from "./temp-folder.ts";

function project(): string {
  const folder = createFolder();
  mkdirSync(join(folder, ".claude"));
  mkdirSync(join(folder, ".github"));
  cpSync(join(fixtures, "agents/claude"), join(folder, ".claude/agents"), { recursive: true });
  cpSync(join(fixtures, "agents/copilot"), join(folder, ".github/agents"), { recursive: true });
  return folder;
}

test("agents of Claude are read in folders below, but hidden ones", async () => {
  const folder = project();
  const claude = join(folder, ".claude/agents");
  const text = (name: string) => `---\nname: ${name}\ndescription: Helps.\n---\nYou help.\n`;
  for (const [below, name] of [
    ["team/review", "deep"],
    [".git", "hidden"],
    ["z", "zed"],
  ] as const) {
    mkdirSync(join(claude, below), { recursive: true });
    writeFileSync(join(claude, below, `${name}.md`), text(name));
  }
  const { agents } = await agentArtifacts(folder);
  const found = agents.filter(({ name }) => ["deep", "hidden", "zed"].includes(name));
  expect(found.map(({ place }) => place.file)).toEqual([
    ".claude/agents/team/review/deep.md",
    ".claude/agents/z/zed.md",
  ]);
});

test("the agents of a project are read, with what is wrong in their files", async () => {
  const { agents, findings } = await agentArtifacts(project());
  expect(agents.map(({ name, format }) => `${format} ${name}`)).toEqual([
    "claude code-reviewer",
    "claude db-reader",
    "claude everything",
    "claude odd-tools",
    "copilot all",
    "copilot nothing",
    "copilot planner",
  ]);
  expect(
    findings.map(({ file, line, column, severity, code }) =>
      [`${file}:${line}:${column}`, severity, code].join(" "),
    ),
  ).toEqual([
    ".claude/agents/README.md:1:1 error no_front_matter",
    ".claude/agents/broken.md:1:1 error missing_field",
    ".claude/agents/broken.md:2:7 warning invalid_name",
    ".claude/agents/broken.md:4:1 error empty_body",
    ".claude/agents/db-reader.md:10:1 warning ignored_key",
    ".claude/agents/odd-tools.md:4:14 warning unknown_tool",
    ".github/agents/all.agent.md:4:1 warning ignored_key",
  ]);
});

test("the fields of an agent of Claude Code are read", async () => {
  const { agents } = await agentArtifacts(project());
  expect(agents.find(({ name }) => name === "db-reader")).toMatchObject({
    description: "Answers questions about the data: reads only.",
    tools: [{ text: "mcp__postgres__query" }, { text: "mcp__docs" }, { text: "Read" }],
    disallowedTools: [{ text: "Write" }, { text: "Edit" }],
    models: [],
    skills: ["postgres-tuning"],
    maxTurns: 12,
    body: "You answer questions about the data. You never write.",
    frontMatter: { permissionMode: "bypassPermissions", color: "blue" },
  });
});

test("the fields of an agent of Copilot are read: its file names it", async () => {
  const { agents } = await agentArtifacts(project());
  expect(agents.find(({ name }) => name === "planner")).toMatchObject({
    title: "Implementation Planner",
    models: ["Claude Sonnet 4.5 (copilot)", "GPT-5 (copilot)"],
    tools: [
      { text: "read" },
      { text: "search" },
      { text: "web" },
      { text: "github/get_issue" },
      { text: "custom-mcp/*" },
    ],
  });
});

test("a file gets the tools that it names, and none that its caller has not", async () => {
  const { agents } = await agentArtifacts(project());
  const available = ["read_file", "search", "bash", "postgres__query", "docs__find", "write_file"];
  const readTools = (name: string): unknown => {
    const agent = agents.find((one) => one.name === name)!;
    return toSubAgentOptions(agent, { model: "m", available }).options.tools;
  };
  expect(readTools("code-reviewer")).toEqual({ include: ["bash", "read_file", "search"] });
  expect(readTools("db-reader")).toEqual({
    include: ["docs__find", "postgres__query", "read_file"],
    exclude: ["write_file"],
  });
  expect(readTools("everything")).toEqual({});
  expect(readTools("nothing")).toEqual({ include: [] });
  expect(readTools("all")).toEqual({ include: [...available].sort() });
});

test("the host gives the model and the skills", async () => {
  const { agents } = await agentArtifacts(project());
  const { skill } = await readSkill(join(fixtures, "good/postgres-tuning"));
  const reader = agents.find(({ name }) => name === "db-reader")!;
  const host = { model: (names: readonly string[]) => names[0] ?? "default", skills: [skill!] };
  const { options, findings } = toSubAgentOptions(reader, host);
  expect(findings).toEqual([]);
  expect(options.model).toBe("default");
  expect(options.limits).toEqual({ turns: 12 });
  expect(options.system).toContain("You never write.\n\n# Skill: postgres-tuning");
  const reviewer = agents.find(({ name }) => name === "code-reviewer")!;
  expect(toSubAgentOptions(reviewer, host).options.model).toBe("sonnet");
  expect(toSubAgentOptions(reader, { model: "m" }).findings).toMatchObject([
    { code: "unknown_skill" },
  ]);
});

test("the options make a sub-agent that has the tools of its file alone", async () => {
  const file = "---\nname: helper\ndescription: Helps.\ntools: look\n---\n\nYou help.\n";
  const { agent } = readAgent("helper.md", file, "claude");
  const seen: unknown[] = [];
  const model = fakeModel(seen);
  const { options } = toSubAgentOptions(agent!, { model, available: ["look", "touch"] });
  const typed: SubAgentOptions = options;
  const outcome = await runAgentTool(subAgentTool(typed));
  expect(outcome).toMatchObject({ status: "completed", result: { isError: false } });
  expect(seen).toEqual([["look"]]);
});

test("a skill as a sub-agent has the tools of allowed-tools, and reads its files", async () => {
  const folder = createFolder({
    "one/SKILL.md": skillText("one", "allowed-tools: look Bash(git:*)\n", "# Do it\n"),
    "two/SKILL.md": skillText("two"),
  });
  const { skill } = await readSkill(join(folder, "one"));
  const seen: unknown[] = [];
  const { options } = toSkillAgentOptions(skill!, {
    model: fakeModel(seen),
    available: ["look", "touch", "bash", "read_skill_file"],
  });
  expect(options).toMatchObject({
    name: "agent__one",
    description: "About one.",
    tools: { include: ["bash", "look", "read_skill_file"] },
    policy: { default: "deny" },
  });
  expect(options.system).toContain("# Do it");
  const typed: SubAgentOptions = options;
  await runAgentTool(subAgentTool(typed));
  expect(seen).toEqual([["look"]]);
  const other = (await readSkill(join(folder, "two"))).skill!;
  expect(toSkillAgentOptions(other, { model: "m" }).options.tools).toEqual({});
});

test("links out of the project and two agents of one name are errors", async () => {
  const text = "---\nname: a\ndescription: A.\n---\n\nYou are A.\n";
  const folder = createFolder({
    "outside.md": text,
    "p/.claude/agents/a.md": text,
    "p/.github/agents/a.agent.md": text,
  });
  symlinkSync("../../../outside.md", join(folder, "p/.claude/agents/z.md"));
  const { agents, findings } = await agentArtifacts(join(folder, "p"));
  expect(agents).toHaveLength(1);
  expect(findings.map(({ file, code }) => `${file} ${code}`)).toEqual([
    ".claude/agents/z.md link_outside",
    ".github/agents/a.agent.md duplicate_name",
  ]);
  write(folder, { "empty/x": "" });
  expect(await agentArtifacts(join(folder, "empty"))).toEqual({ agents: [], findings: [] });
  expect(await agentArtifacts(join(folder, "none"))).toEqual({ agents: [], findings: [] });
});

/** A model that answers at once, and notes the names of its tools. */
function fakeModel(seen: unknown[]): SubAgentOptions["model"] {
  return {
    specificationVersion: "v4",
    provider: "test",
    modelId: "test",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not used")),
    doStream: (options: { readonly tools?: readonly { readonly name: string }[] }) => {
      seen.push((options.tools ?? []).map(({ name }) => name).sort());
      const parts = [
        { type: "stream-start", warnings: [] },
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "done" },
        { type: "text-end", id: "1" },
        {
          type: "finish",
          finishReason: { unified: "stop", raw: "stop" },
          usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
        },
      ];
      return Promise.resolve({ stream: ReadableStream.from(parts) });
    },
  } as unknown as SubAgentOptions["model"];
}

async function runAgentTool(agent: Tool): Promise<ToolOutcome> {
  const tool = (name: string): Tool =>
    defineTool({ name, description: "Does it.", input: { type: "object" }, execute: () => "done" });
  const registry = new ToolRegistry([agent, tool("look"), tool("touch")]);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  return executor.execute({ id: "1", name: agent.spec.name, arguments: { task: "Go." } });
}
