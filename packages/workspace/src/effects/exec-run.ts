import { constants } from "node:os";
import { StringDecoder } from "node:string_decoder";
import {
  defineTool,
  displayLine,
  ToolError,
  type JsonObject,
  type Tool,
  type ToolOutput,
} from "@toolweave/core";
import { analyzeArgv } from "../policy/analyze-command.ts";
import { quoteArgv, quoteWord } from "../policy/script-permissions.ts";
import { isRefusedVariable } from "../processes/environment.ts";
import { OutputHead } from "../processes/output-head.ts";
import { commandPermissions } from "../tools/command-permissions.ts";
import { maxTarget } from "../tools/path-permissions.ts";
import { runScript, type ScriptEnd } from "../tools/run-script.ts";
import type { Workspace } from "../tools/workspace.ts";

const defaultTimeoutMs = 30_000;
const maxTimeoutMs = 600_000;
const maxOutputBytes = 4 * 1024 * 1024;
const maxInput = 8 * 1024 * 1024;

/** A program that is to be run. */
interface Command {
  /** The program and its arguments. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The command as a line of a shell, for a policy and a person. */
  readonly script: string;
}

/** The tool `exec_run`: runs a program. */
export function execRunTool(workspace: Workspace): Tool {
  return defineTool({
    name: "exec_run",
    description:
      "Run a program with these arguments, without a shell: { ok, stdout, stderr, exit_code, duration_ms, timed_out, cmd, args }. No process stays behind.",
    input: {
      type: "object",
      properties: {
        cmd: { type: "string", minLength: 1 },
        args: { type: "array", items: { type: "string" }, maxItems: 5_000 },
        timeout_ms: {
          type: "integer",
          minimum: 1,
          maximum: maxTimeoutMs,
          description: `Default: ${defaultTimeoutMs}.`,
        },
        dir: { type: "string", description: "The folder to run in. Default: the workspace." },
        stdin: { type: "string", maxLength: maxInput, description: "Default: no input." },
        env: { type: "object", additionalProperties: { type: "string" }, maxProperties: 100 },
      },
      required: ["cmd"],
      additionalProperties: false,
    },
    annotations: {
      destructiveHint: false,
      openWorldHint: true,
      access: { process: true, filesystem: "write" },
    },
    // The tool has its own limit, and kills what it has started.
    timeoutMs: 0,
    preflight: ({ cmd, args, env, dir = "." }) => {
      const { argv, env: variables, script } = toCommand(cmd, args, env);
      const analysis = analyzeArgv(argv, Object.keys(variables).length > 0);
      return commandPermissions(workspace, { script, analysis, cwd: dir });
    },
    execute: async (
      { cmd, args = [], env, dir = ".", stdin: input, timeout_ms: timeoutMs = defaultTimeoutMs },
      { signal, permissions = [] },
    ) => {
      const command = toCommand(cmd, args, env);
      const stdout = new OutputHead(maxOutputBytes);
      const stderr = new OutputHead(maxOutputBytes);
      const end = await runScript(workspace, {
        // Builtins, functions and keywords of the shell are no programs, and `exec` does not find them.
        command: 'exec -- "$@"',
        args: command.argv,
        env: command.env,
        ...(input === undefined ? {} : { input }),
        cwd: dir,
        permissions,
        timeoutMs,
        signal,
        onOutput: (chunk) => stdout.add(chunk),
        onErrorOutput: (chunk) => stderr.add(chunk),
      });
      return describe({ cmd, args }, end, stdout, stderr);
    },
  });
}

/** @throws ToolError `invalid_arguments` for words and variables that no program can be given. */
function toCommand(cmd: string, args: readonly string[] = [], variables: JsonObject = {}): Command {
  const argv = [cmd, ...args];
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) env[name] = String(value);
  for (const word of [...argv, ...Object.values(env)]) {
    if (word.includes("\0") || /\p{Surrogate}/u.test(word)) {
      throw invalid("a word has a NUL or half of a character, which no program can be given");
    }
  }
  for (const name of Object.keys(env)) {
    if (!/^[A-Za-z_]\w*$/.test(name)) throw invalid(`env has the name ${JSON.stringify(name)}`);
    if (isRefusedVariable(name)) {
      throw invalid(`env.${name} makes programs run other code, or use credentials`);
    }
  }
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${quoteWord(value)}`);
  const script = [...assignments, quoteArgv(argv)].join(" ");
  if (displayLine(script).length <= maxTarget) return { argv, env, script };
  throw invalid(
    `cmd, args and env have more than ${maxTarget} characters together. Pass long texts in stdin, or in a file`,
  );
}

function describe(
  { cmd, args }: { readonly cmd: string; readonly args: readonly string[] },
  end: ScriptEnd,
  stdout: OutputHead,
  stderr: OutputHead,
): ToolOutput {
  const { timedOut, notes, limits } = end;
  const exitCode = timedOut ? -1 : toExitCode(end);
  const status = timedOut ? "timed out, and was killed" : `exit ${exitCode}`;
  const value: JsonObject = {
    ok: exitCode === 0,
    stdout: toText(stdout),
    stderr: toText(stderr),
    exit_code: exitCode,
    duration_ms: Math.round(end.durationMs),
    timed_out: timedOut,
    cmd,
    args: [...args],
    ...(stdout.isCut ? { stdout_truncated: true } : {}),
    ...(stderr.isCut ? { stderr_truncated: true } : {}),
    ...(notes.length === 0 ? {} : { notes: [...notes] }),
  };
  return {
    content: [{ type: "text", text: [status, ...notes].join("; ") }],
    value,
    details: { limits },
  };
}

/** As shells have it: a program that a signal ended has the code 128 and the number of the signal. */
function toExitCode({ exitCode, exitSignal }: ScriptEnd): number {
  return exitCode ?? 128 + (exitSignal === null ? 0 : constants.signals[exitSignal]);
}

/** The text without a character that was cut in two. Other bytes that are not UTF-8 are U+FFFD. */
function toText(output: OutputHead): string {
  return output.isCut ? new StringDecoder().write(output.bytes) : output.bytes.toString();
}

function invalid(what: string): ToolError {
  return new ToolError("invalid_arguments", `${what}.`);
}
