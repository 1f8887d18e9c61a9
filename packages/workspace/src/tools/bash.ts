import { randomUUID } from "node:crypto";
import {
  defineTool,
  ToolError,
  type PermissionRequest,
  type Tool,
  type ToolOutput,
} from "@toolweave/core";
import { analyzeCommand } from "../policy/analyze-command.ts";
import type { ScriptAnalysis } from "../policy/analysis.ts";
import { resolvePath, scriptPermissions } from "../policy/script-permissions.ts";
import { commandEnvironment } from "../processes/environment.ts";
import { OutputBuffer, toOutputText } from "../processes/output-buffer.ts";
import { runProcess, type ProcessEnd } from "../processes/run-process.ts";
import type { SandboxLevel } from "../sandbox/sandbox.ts";
import { OutputArtifact } from "./output-artifact.ts";
import { displayPath, pathPermissions, withPath, type Workspace } from "./workspace.ts";

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
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
          maximum: maxTimeoutMs,
          description: `Default: ${defaultTimeoutMs}.`,
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
    preflight: async ({ command, cwd = "." }) => {
      const { realPath: folder } = withPath(cwd, () => workspace.jail.locate(cwd, "read"));
      const { level, hidesNetwork } = await workspace.sandbox();
      const analysis = analyzeCommand(command);
      const isInside = (path: string): boolean => workspace.jail.contains(path);
      return [
        ...scriptPermissions(command, analysis, { folder, isInside, sandbox: level, hidesNetwork }),
        ...specialFiles(workspace, analysis, folder),
      ];
    },
    execute: async (
      { command, cwd = ".", timeout_ms: timeoutMs = defaultTimeoutMs },
      ctx,
    ): Promise<ToolOutput> => {
      const folder = withPath(cwd, () => workspace.jail.locate(cwd, "read"));
      if (folder.kind !== "directory")
        throw new ToolError("execution_failed", `"${cwd}" is no folder.`);
      const sandbox = await workspace.sandbox();
      // Not the id of the call, which a model chooses.
      const callId = randomUUID();
      const env = commandEnvironment(workspace.environment, callId);
      const prepared = sandbox.prepare({
        // Both outputs in one, so that they are in the order in which they were written.
        argv: ["bash", "--noprofile", "--norc", "-c", `exec 2>&1; ${command}`],
        cwd: folder.realPath,
        env,
      });
      const output = new OutputBuffer(maxHead, maxTail);
      const artifact = new OutputArtifact(ctx.artifacts, maxHead + maxTail);
      let updatedAt = 0;
      const end = runProcess({
        ...prepared,
        callId,
        timeoutMs,
        signal: AbortSignal.any([ctx.signal, workspace.closing]),
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
      prepared.close();
      const ended = await end.catch((error: unknown) => {
        throw startError(error);
      });
      return describe(
        {
          analysis: analyzeCommand(command),
          end: ended,
          output,
          cwd: displayPath(folder),
          level: sandbox.level,
          timeoutMs,
        },
        await artifact.end(),
      );
    },
  });
}

/**
 * Permissions for files of the workspace for which its rules ask, such as secrets.
 *
 * @throws ToolError `permission_denied` for a file that its rules deny.
 */
function specialFiles(
  workspace: Workspace,
  analysis: ScriptAnalysis,
  folder: string,
): readonly PermissionRequest[] {
  const found = new Map<string, PermissionRequest>();
  for (const use of analysis.commands.flatMap(({ paths }) => paths)) {
    const path = resolvePath(use, folder);
    if (path === undefined || !workspace.jail.contains(path)) continue;
    for (const permission of pathPermissions(workspace, path, use.access)) {
      const { kind, target } = permission;
      if (kind.startsWith("custom.")) found.set(`${kind} ${target}`, permission);
    }
  }
  return [...found.values()];
}

function startError(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall?.startsWith("spawn") === true
    ? new ToolError(
        "unavailable",
        `bash could not be started (${code}). Install it, or leave the tool out.`,
        { cause: error },
      )
    : error;
}

interface RunSummary {
  readonly analysis: ScriptAnalysis;
  readonly end: ProcessEnd;
  readonly output: OutputBuffer;
  readonly cwd: string;
  readonly level: SandboxLevel;
  readonly timeoutMs: number;
}

function describe(
  { analysis, end, output, cwd, level, timeoutMs }: RunSummary,
  artifact: NonNullable<ToolOutput["artifacts"]>[number] | undefined,
): ToolOutput {
  const { exitCode, exitSignal, timedOut, durationMs, killed } = end;
  const answer = informativeExit(analysis, exitCode);
  const isError = timedOut || (exitCode !== 0 && answer === undefined);
  const notes = [
    ...(timedOut ? [`timed out after ${timeoutMs / 1000} s and was killed`] : []),
    ...(timedOut || exitCode === 0
      ? []
      : [
          exitCode === null
            ? `ended by ${exitSignal}`
            : `exit ${exitCode}${answer === undefined ? "" : ` (${answer})`}`,
        ]),
    ...(killed > 0 && !timedOut
      ? [`${killed} background ${killed === 1 ? "process was" : "processes were"} killed`]
      : []),
  ];
  const body = textOf(output, artifact?.key);
  const status = notes.length === 0 ? (body === "" ? "[no output]" : "") : `[${notes.join("; ")}]`;
  return {
    content: [{ type: "text", text: [body, status].filter((part) => part !== "").join("\n") }],
    value: {
      exitCode,
      ...(exitSignal === null ? {} : { signal: exitSignal }),
      timedOut,
      durationMs: Math.round(durationMs),
      outputBytes: output.length,
      truncated: output.isCut,
      killed,
      cwd,
      sandbox: level,
    },
    ...(artifact === undefined ? {} : { artifacts: [artifact] }),
    ...(isError ? { isError } : {}),
  };
}

/** The output, with a note in place of its middle. */
function textOf(output: OutputBuffer, artifactKey: string | undefined): string {
  const { head, tail } = output.parts;
  if (!output.isCut) return toOutputText(Buffer.concat([head, tail])).replace(/\n+$/, "");
  // Whole lines, unless there are none.
  const headEnd = head.lastIndexOf(10) + 1 || head.length;
  const tailStart = tail.indexOf(10) + 1;
  const omitted = output.length - headEnd - (tail.length - tailStart);
  const where =
    artifactKey === undefined ? "" : `; the whole output is the artifact ${artifactKey}`;
  return `${toOutputText(head.subarray(0, headEnd))}[… ${omitted} bytes omitted${where} …]\n${toOutputText(tail.subarray(tailStart))}`.replace(
    /\n+$/,
    "",
  );
}

/** The meaning of exit code 1 of programs for which it is an answer and no failure. */
function informativeExit(
  { isKnown, commands }: ScriptAnalysis,
  exitCode: number | null,
): string | undefined {
  if (exitCode !== 1 || !isKnown) return undefined;
  const last = commands.at(-1);
  if (last === undefined) return undefined;
  if (last.program === "git")
    return last.argv[1] === "diff"
      ? "there are differences"
      : last.argv[1] === "grep"
        ? "no match"
        : undefined;
  return Object.hasOwn(answers, last.program) ? answers[last.program] : undefined;
}

const answers: Readonly<Record<string, string>> = {
  "[": "false",
  cmp: "there are differences",
  diff: "there are differences",
  egrep: "no match",
  false: "false",
  fgrep: "no match",
  grep: "no match",
  pgrep: "no match",
  rg: "no match",
  test: "false",
};
