import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import {
  UnsupportedFunctionalityError,
  type LanguageModelV4,
  type LanguageModelV4Content,
} from "@ai-sdk/provider";
import { ToolExecutor, ToolRegistry, type ToolEvent } from "@toolweave/core";
import { brokenLine, writeBrokenProject } from "@toolweave/test-support";
import { examineSandboxes, workspacePolicy, workspaceTools } from "@toolweave/workspace";
import { expect, onTestFinished, test } from "vitest";

import { maintainer, maintenanceRules } from "../src/maintainer.ts";

const [bubblewrap] = await examineSandboxes();

/** A model that makes these calls, one in each turn, and then says what it has done. */
function scripted(calls: readonly (readonly [name: string, input: object])[]): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "museum",
    modelId: "maintainer",
    supportedUrls: {},
    doGenerate: async ({ prompt }) => {
      const turn = prompt.filter(({ role }) => role === "assistant").length;
      const [name, input] = calls[turn] ?? [];
      const content: LanguageModelV4Content =
        name === undefined
          ? { type: "text", text: "The test passes." }
          : {
              type: "tool-call",
              toolCallId: `${turn}`,
              toolName: name,
              input: JSON.stringify(input),
            };
      return {
        content: [content],
        finishReason: { unified: name === undefined ? "stop" : "tool-calls", raw: undefined },
        usage: {
          inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 0, text: 0, reasoning: undefined },
        },
        warnings: [],
      };
    },
    doStream: () =>
      Promise.reject(new UnsupportedFunctionalityError({ functionality: "streaming" })),
  };
}

test.runIf(bubblewrap?.holds === true)(
  "an agent repairs a program in a sandbox, with one approval",
  { timeout: 60_000 },
  async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "museum-program-")));
    onTestFinished(() => rmSync(root, { recursive: true }));
    writeBrokenProject(root);
    const node = dirname(process.execPath);
    const workspace = workspaceTools({
      root,
      sandbox: "bwrap",
      readPaths: [node],
      env: { PATH: `${node}:/usr/bin:/bin` },
    });
    const model = scripted([
      ["bash", { command: "node --test" }],
      ["read_file", { path: "add.js" }],
      ["edit_file", { path: "add.js", edits: [brokenLine] }],
      ["bash", { command: "node --test" }],
    ]);
    const registry = new ToolRegistry([workspace, maintainer(model)]);
    onTestFinished(() => registry.close());
    const asked: string[] = [];
    const ended: string[] = [];
    const executor = new ToolExecutor({
      registry,
      policy: workspacePolicy({ rules: maintenanceRules }),
      onAsk: ({ spec, requests }) => {
        if (spec.name !== "maintainer")
          asked.push(...requests.map(({ permission }) => permission.summary));
        return { approved: true };
      },
    });
    executor.on((event: ToolEvent) => {
      if (event.type === "tool.completed")
        ended.push(`${event.tool} ${event.isError ? "failed" : "ok"}`);
    });
    const outcome = await executor.execute({
      id: "1",
      name: "maintainer",
      arguments: { task: "Repair add.js." },
    });
    expect(outcome.result?.content).toEqual([{ type: "text", text: "The test passes." }]);
    expect(asked).toEqual(["Write add.js"]);
    expect(ended).toEqual([
      "bash failed",
      "read_file ok",
      "edit_file ok",
      "bash ok",
      "maintainer ok",
    ]);
    expect(readFileSync(join(root, "add.js"), "utf8")).toContain(brokenLine.new);
  },
);
