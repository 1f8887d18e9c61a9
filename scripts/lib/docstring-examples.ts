import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { docBlocks } from "./doc-blocks.ts";
import type { DocBlock } from "./doc-blocks.ts";
import { publicNames } from "./public-surface.ts";
import { publicEntries } from "./workspace.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** The names that examples in docstrings leave to their reader, and what each of them is. */
const readersNames: Readonly<Record<string, string>> = {
  add: `declare const add: import("@toolweave/core").TypedTool<{ a: number; b: number }, number>;`,
  askInTheTerminal: `declare const askInTheTerminal: import("@anthropic-ai/claude-agent-sdk").CanUseTool;`,
  calls: `declare const calls: readonly import("@toolweave/core").ToolCall[];`,
  createAgent: 'import { createAgent } from "langchain";',
  executor: 'declare const executor: import("@toolweave/core").ToolExecutor;',
  gateway: `declare const gateway: import("@toolweave/mcp/serve").McpGateway;`,
  generateText: 'import { generateText } from "ai";',
  instructions: "declare const instructions: string;",
  issuer: "declare const issuer: string;",
  messages: 'declare const messages: import("ai").ModelMessage[];',
  openai: `declare const openai: { embedding(id: string): import("ai").EmbeddingModel };`,
  pastedAddress: "declare function pastedAddress(): Promise<string>;",
  prompt: "declare const prompt: string;",
  query: 'import { query } from "@anthropic-ai/claude-agent-sdk";',
  registry: 'declare const registry: import("@toolweave/core").ToolRegistry;',
  run: 'declare const run: import("@toolweave/core").ToolRun;',
  show: "declare function show(message: unknown): void;",
  schedules: `declare const schedules: import("@toolweave/core/stores").ScheduleStore;`,
  store: `declare const store: import("@toolweave/core/stores").CredentialStore;`,
  subscribe: 'import { subscribe } from "node:diagnostics_channel";',
  tools: 'declare const tools: import("ai").ToolSet;',
  weather: 'declare const weather: import("ai").Tool;',
};

/** Names that mean something else in the docstrings of one package. */
const packageNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "@toolweave/builtin": {
    model: 'declare const model: import("@toolweave/subagent").AgentOptions["model"];',
  },
  "@toolweave/durable": {
    engine: 'declare const engine: import("@toolweave/durable").DurableEngine;',
    model: 'declare const model: import("@toolweave/subagent").AgentOptions["model"];',
    serve: 'import { serve } from "@restatedev/restate-sdk";',
  },
  "@toolweave/ai-sdk": { model: 'declare const model: import("ai").LanguageModel;' },
  "@toolweave/console": {
    authenticate: 'declare const authenticate: import("@toolweave/console").ConsoleAuthenticate;',
    key: "declare const key: string;",
    origins: "declare const origins: readonly string[];",
    pendingCalls: 'declare const pendingCalls: import("@toolweave/core/stores").PendingCallStore;',
    request: "declare const request: Request;",
    secret: "declare const secret: string;",
    tokens: "declare const tokens: { readonly ada: string; readonly board: string };",
    url: "declare const url: string;",
  },
  "@toolweave/langchain": {
    model:
      'declare const model: import("@langchain/core/language_models/chat_models").BaseChatModel;',
    search: 'declare const search: import("@langchain/core/tools").StructuredTool;',
  },
  "@toolweave/mastra": {
    Agent: 'import { Agent } from "@mastra/core/agent";',
    model: 'declare const model: import("@mastra/core/agent").AgentConfig["model"];',
  },
  "@toolweave/openai-agents": { Agent: 'import { Agent } from "@openai/agents-core";' },
  "@toolweave/subagent": {
    model: 'declare const model: import("@toolweave/subagent").AgentOptions["model"];',
  },
};

/**
 * The examples in the docstrings of all packages, as programs of their own: each begins, in the line of its fence, with
 * imports of the public names that it uses and declarations of `readersNames`.
 */
export function docstringExamples(
  root: string,
  packages: readonly WorkspacePackage[],
  temp: string,
): readonly DocBlock[] {
  const entries = publicEntries(root);
  const names = publicNames(
    entries.map(({ declarations }) => declarations),
    root,
    temp,
  );
  const imports = entries.flatMap((entry) =>
    (names.get(entry.declarations) ?? []).map(({ name, isType }) => ({
      name,
      package: entry.package,
      source: `import ${isType ? "type " : ""}{ ${name} } from "${entry.name}";`,
    })),
  );
  return packages.flatMap(({ name, folder }) => {
    // What the package itself exports comes last, and so takes precedence.
    const own = imports.filter((each) => each.package === name);
    const known = new Map([...imports, ...own].map((each) => [each.name, each.source]));
    for (const names of [readersNames, packageNames[name] ?? {}]) {
      for (const [one, source] of Object.entries(names)) known.set(one, source);
    }
    return globSync(`${folder}/src/**/*.ts`, { cwd: root })
      .sort()
      .flatMap((file) => findExamples(readFileSync(join(root, file), "utf8"), file))
      .map((block) => ({ ...block, code: withNames(block.code, known), runs: false }));
  });
}

/** The examples of a source, on the lines that they have there. */
function findExamples(source: string, file: string): readonly DocBlock[] {
  // Only what stands in docstrings is left, without its asterisks.
  const text = source
    .split("\n")
    .map((line) => /^\s*\*(?: |$)(.*)$/.exec(line)?.[1] ?? "")
    .join("\n");
  return docBlocks(text, file);
}

function withNames(code: string, known: ReadonlyMap<string, string>): string {
  const used = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  const preamble = [...used].flatMap((name) => {
    const source = known.get(name);
    return source === undefined || declares(code, name) ? [] : [source];
  });
  return `${["export {};", ...preamble].join(" ")}\n${code}`;
}

/** True where the name is one that the example declares itself, or a member or key. */
function declares(code: string, name: string): boolean {
  const free = new RegExp(`(?<![.\\w$"])${name}\\b(?!\\??:)`);
  return (
    !free.test(code) || new RegExp(`\\b(?:const|let|function|class) \\{? ?${name}\\b`).test(code)
  );
}
