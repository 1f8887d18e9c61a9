import { defineTool, displayLine, text, type Tool } from "@toolweave/core";
import { toSessionKey } from "../session/session-key.ts";

type Status = "pending" | "in_progress" | "completed";

interface Item {
  readonly text: string;
  readonly status: Status;
}

const maxItems = 100;
/** Lists that are kept, the latest ones. */
const maxLists = 1_000;

const marks: Readonly<Record<Status, string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
};

/**
 * The tool `todo`: the plan of an agent, one for each session and caller, in this process. Each change is an update of
 * the call, so that a host can display the plan.
 */
export function todoTool(): Tool {
  const lists = new Map<string, readonly Item[]>();
  return defineTool({
    name: "todo",
    description:
      "Keep the plan of a task with several steps. With items, the list is replaced by them; without, it is read. At most one step is in progress.",
    input: {
      type: "object",
      properties: {
        items: {
          type: "array",
          maxItems,
          items: {
            type: "object",
            properties: {
              text: { type: "string", minLength: 1, maxLength: 500 },
              status: { type: "string", enum: ["pending", "in_progress", "completed"] },
            },
            required: ["text", "status"],
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
    annotations: {
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      streamingHint: true,
      access: { filesystem: "none", process: false, network: false },
    },
    execute: ({ items }, ctx) => {
      const key = toSessionKey(ctx);
      if (items !== undefined) {
        lists.delete(key);
        lists.set(key, items as readonly Item[]);
        const [oldest] = lists.keys();
        if (lists.size > maxLists && oldest !== undefined) lists.delete(oldest);
      }
      const current = lists.get(key) ?? [];
      const output = {
        content: [text(describe(current))],
        value: current.map(({ text: step, status }) => ({ text: step, status })),
      };
      if (items !== undefined) void ctx.update(output);
      return output;
    },
  });
}

function describe(items: readonly Item[]): string {
  if (items.length === 0) return "The list is empty.";
  const done = items.filter(({ status }) => status === "completed").length;
  const lines = items.map(({ text: step, status }) => `${marks[status]} ${displayLine(step)}`);
  return [...lines, `${done} of ${items.length} completed`].join("\n");
}
