import {
  defineTool,
  ToolError,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from "@toolweave/core";
import { analyzeCommand } from "../policy/analyze-command.ts";
import { OutputBuffer, toOutputText } from "../processes/output-buffer.ts";
import { commandPermissions } from "./command-permissions.ts";
import { describeEnd, describeScript } from "./describe-script.ts";
import { OutputArtifact } from "./output-artifact.ts";
import { runScript } from "./run-script.ts";
import { getCommandOwner, type Workspace } from "./workspace.ts";

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
const defaultBackgroundMs = 30 * 60_000;
const maxBackgroundMs = 2 * 60 * 60_000;
const maxScriptLength = 65_536;
/** Bytes of the output for the model: of its beginning and of its end. */
const maxHead = 12_000;
const maxTail = 18_000;
const updateMs = 100;
const maxUpdate = 8 * 1024;

/** The tool `bash`. */
export function bashTool(workspace: Workspace): Tool {
  return defineTool({
    name: "bash",
    description:
      "Run a script of bash in the workspace. Each call is a shell of its own: the folder and variables of an earlier one are gone. There is no input, no terminal, and no process stays behind. To read, search and edit files, use the tools for that.",
    input: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, maxLength: maxScriptLength },
        cwd: { type: "string", description: "The folder to run in. Default: the workspace." },
        timeout_ms: {
          type: "integer",
          minimum: 1,
          maximum: maxBackgroundMs,
          description: `Default: ${defaultTimeoutMs}, at most ${maxTimeoutMs}; in the background ${defaultBackgroundMs}.`,
        },
        background: {
          type: "boolean",
          description:
            "Return at once, with an id for bash_output and bash_kill. For servers and watchers. Default: false.",
        },
        description: {
          type: "string",
          maxLength: 200,
          description: "Why the command is run, for the person who approves it.",
        },
      },
      required: ["command"],
      additionalProperties: false,
    },
    annotations: {
      destructiveHint: false,
      openWorldHint: true,
      streamingHint: true,
      access: { process: true, filesystem: "write" },
    },
    // The tool has its own limit, and kills what it has started.
    timeoutMs: 0,
    preflight: ({ command, cwd = "." }) =>
      commandPermissions(workspace, { script: command, analysis: analyzeCommand(command), cwd }),
    execute: ({ command, cwd = ".", timeout_ms: asked, background = false }, ctx) =>
      background
        ? startInBackground(workspace, ctx, {
            command,
            cwd,
            timeoutMs: asked ?? defaultBackgroundMs,
          })
        : runInForeground(workspace, ctx, {
            command,
            cwd,
            timeoutMs: foregroundTimeout(asked),
          }),
  });
}

function foregroundTimeout(asked: number | undefined): number {
  if (asked === undefined || asked <= maxTimeoutMs) return asked ?? defaultTimeoutMs;
  throw new ToolError(
    "invalid_arguments",
    `timeout_ms is ${asked}, and at most ${maxTimeoutMs} without background: true.`,
  );
}

interface Script {
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
}

async function runInForeground(
  workspace: Workspace,
  ctx: ToolContext,
  script: Script,
): Promise<ToolOutput> {
  const output = new OutputBuffer(maxHead, maxTail);
  const artifact = new OutputArtifact(ctx.artifacts, maxHead + maxTail);
  let updatedAt = 0;
  const end = await runScript(workspace, {
    ...script,
    permissions: ctx.permissions ?? [],
    signal: ctx.signal,
    onOutput: (chunk) => {
      output.add(chunk);
      const now = performance.now();
      if (now - updatedAt >= updateMs) {
        updatedAt = now;
        void ctx.update({
          content: [{ type: "text", text: toOutputText(output.last(maxUpdate)) }],
        });
      }
      return artifact.add(chunk);
    },
  });
  return describeScript({ ...script, end }, output, await artifact.end());
}

async function startInBackground(
  workspace: Workspace,
  ctx: ToolContext,
  script: Script,
): Promise<ToolOutput> {
  const permissions = ctx.permissions ?? [];
  const command = workspace.background.start(getCommandOwner(ctx), async ({ onOutput, signal }) => {
    const end = await runScript(workspace, {
      ...script,
      permissions,
      signal,
      onOutput,
    });
    const { notes } = describeEnd({ ...script, end });
    return { text: notes.join("; ") || "exit 0", exitCode: end.exitCode };
  });
  const { id } = command;
  const { level } = await workspace.sandbox();
  return {
    content: [
      {
        type: "text",
        text: `Runs in the background as ${id}. Read its output with bash_output, and end it with bash_kill.`,
      },
    ],
    value: { id, sandbox: level },
  };
}
