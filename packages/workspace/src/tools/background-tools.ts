import {
  defineTool,
  ToolError,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from "@toolweave/core";
import type { BackgroundCommand } from "../processes/background-commands.ts";
import { toOutputText } from "../processes/output-buffer.ts";
import { getCommandOwner, type Workspace } from "./workspace.ts";

const maxWaitMs = 30_000;

const id = { type: "string", description: "The id that bash returned." } as const;

/** The tool `bash_output`. */
export function bashOutputTool(workspace: Workspace): Tool {
  return defineTool({
    name: "bash_output",
    description:
      "Read the output of a command that bash runs in the background: what is new since the last call, or what comes after a position.",
    input: {
      type: "object",
      properties: {
        id,
        after: {
          type: "integer",
          minimum: 0,
          description: "Byte position, as next in an earlier result. Default: what is new.",
        },
        wait_ms: {
          type: "integer",
          minimum: 0,
          maximum: maxWaitMs,
          description: "Wait this long for new output, or the end. Default: 0.",
        },
        contains: {
          type: "string",
          minLength: 1,
          description: "Only lines with this text.",
        },
      },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false, access: { filesystem: "none" } },
    execute: async ({ id: name, after, wait_ms: waitMs = 0, contains }, ctx) => {
      const command = find(workspace, name, ctx);
      const from = after ?? command.cursor;
      if (waitMs > 0) {
        const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(waitMs)]);
        await command.waitForOutput(from, signal);
        ctx.signal.throwIfAborted();
      }
      return describe(command, from, contains);
    },
  });
}

/** The tool `bash_kill`. */
export function bashKillTool(workspace: Workspace): Tool {
  return defineTool({
    name: "bash_kill",
    description:
      "End a command that bash runs in the background, with all of its processes. Returns the rest of its output.",
    input: {
      type: "object",
      properties: { id },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      access: { filesystem: "none" },
    },
    // A caller who may start a command may end it.
    preflight: () => [],
    execute: async ({ id: name }, ctx) => {
      const command = find(workspace, name, ctx);
      await command.stop();
      return describe(command, command.cursor, undefined);
    },
  });
}

function find(workspace: Workspace, id: string, ctx: ToolContext): BackgroundCommand {
  const command = workspace.background.get(id, getCommandOwner(ctx));
  if (command !== undefined) return command;
  throw new ToolError(
    "execution_failed",
    `There is no command "${id.slice(0, 50)}" in the background. Start one with bash and background: true.`,
  );
}

function describe(
  command: BackgroundCommand,
  from: number,
  contains: string | undefined,
): ToolOutput {
  const { output, end } = command;
  const { bytes, next } = output.read(from);
  command.cursor = next;
  const text = toOutputText(bytes).replace(/\n+$/, "");
  const body =
    contains === undefined
      ? text
      : text
          .split("\n")
          .filter((line) => line.includes(contains))
          .join("\n");
  const rest = output.length - output.lost - next;
  const status = [
    end === undefined ? "running" : end.text,
    `next ${next}`,
    ...(rest > 0 ? [`${rest} more bytes`] : []),
    ...(output.lost > 0 ? [`${output.lost} bytes at the end are lost`] : []),
  ];
  return {
    content: [
      {
        type: "text",
        text: [body, `[${status.join("; ")}]`].filter((part) => part !== "").join("\n"),
      },
    ],
    value: {
      isRunning: end === undefined,
      ...(end === undefined ? {} : { exitCode: end.exitCode }),
      next,
    },
  };
}
