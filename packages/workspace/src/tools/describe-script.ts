import type { ToolOutput } from "@toolweave/core";
import { analyzeCommand } from "../policy/analyze-command.ts";
import { toOutputText, type OutputBuffer } from "../processes/output-buffer.ts";
import type { StoredOutput } from "./output-artifact.ts";
import type { ScriptEnd } from "./run-script.ts";

/** A script that has ended, with its output. */
export interface EndedScript {
  readonly command: string;
  readonly end: ScriptEnd;
  readonly timeoutMs: number;
}

/** The result of a script that ran in the foreground. */
export function describeScript(
  { command, end, timeoutMs }: EndedScript,
  output: OutputBuffer,
  stored: StoredOutput,
): ToolOutput {
  const { exitCode, exitSignal, timedOut, durationMs, killed, cwd, level, limits } = end;
  const { isFailure, notes } = describeEnd({ command, end, timeoutMs });
  const { artifact } = stored;
  const body = describeOutput(output, stored);
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
    details: { limits },
    ...(artifact === undefined ? {} : { artifacts: [artifact] }),
    ...(isFailure ? { isError: true } : {}),
  };
}

/** The end of a script in a few words; none if it has ended with 0 and there is nothing to say. */
export function describeEnd({ command, end, timeoutMs }: EndedScript): {
  readonly isFailure: boolean;
  readonly notes: readonly string[];
} {
  const { exitCode, exitSignal, timedOut, killed } = end;
  if (timedOut) {
    const text = `timed out after ${timeoutMs / 1000} s and was killed`;
    return { isFailure: true, notes: [text, ...end.notes] };
  }
  const answer = exitCode === 1 ? informativeExit(command) : undefined;
  const notes = [
    ...(exitCode === null ? [`ended by ${exitSignal}`] : []),
    ...(exitCode === null || exitCode === 0
      ? []
      : [`exit ${exitCode}${answer === undefined ? "" : ` (${answer})`}`]),
    ...(killed === 0
      ? []
      : [`${killed} background ${killed === 1 ? "process was" : "processes were"} killed`]),
    ...end.notes,
  ];
  return { isFailure: exitCode !== 0 && answer === undefined, notes };
}

/** The output, with a note in place of its middle. */
function describeOutput(output: OutputBuffer, { artifact, isCut }: StoredOutput): string {
  const { head, tail } = output.parts;
  if (!output.isCut) return toOutputText(Buffer.concat([head, tail])).replace(/\n+$/, "");
  // Whole lines, unless there are none.
  const headEnd = head.lastIndexOf(10) + 1 || head.length;
  const tailStart = tail.indexOf(10) + 1;
  const omitted = output.length - headEnd - (tail.length - tailStart);
  const which = isCut ? "the beginning of the output" : "the whole output";
  const where = artifact === undefined ? "" : `; ${which} is the artifact ${artifact.key}`;
  return `${toOutputText(head.subarray(0, headEnd))}[… ${omitted} bytes omitted${where} …]\n${toOutputText(tail.subarray(tailStart))}`.replace(
    /\n+$/,
    "",
  );
}

/** The meaning of exit code 1 of programs for which it is an answer and no failure. */
function informativeExit(command: string): string | undefined {
  const { isKnown, commands } = analyzeCommand(command);
  const last = commands.at(-1);
  if (!isKnown || last === undefined) return undefined;
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
