import { conformance, type Manifest } from "@toolweave/conformance/vitest";
import {
  filter,
  prefix,
  suspend,
  toolsSource,
  type JsonValue,
  type ToolSource,
} from "@toolweave/core";
import { subAgentTool } from "@toolweave/subagent";
import { tool } from "../support/executor-for.ts";
import { scriptedModel, type Script } from "../support/scripted-model.ts";

/** Bytes of the scribe's text. */
const longest = 300_000;

const notes: JsonValue[] = [];

/** Runs the first word of its task, with its tools. */
const scribe: Script = ({ turn, task, results, options }) => {
  const [word = ""] = task.split(" ");
  if (turn > 0) return { text: `Done: ${results.join()}` };
  if (word === "recite") return { text: "Clarissa ".repeat(longest / 9) };
  if (word === "forget") return { text: "I forgot", finish: "length" };
  const name = options.tools?.find(({ name }) => name.endsWith(word) && word !== "")?.name;
  return name === undefined
    ? { text: "I have nothing to do." }
    : { calls: [{ name, input: { task } }] };
};

function office(): ToolSource {
  const closing = new AbortController();
  const source = toolsSource("office", [
    subAgentTool({
      name: "scribe",
      description: "Writes, asks and recites.",
      system: "You are a scribe.",
      model: scriptedModel(scribe),
      tools: ["*note", "*inquire", "*ponder"],
    }),
    tool("note", ({ task = null }) => (notes.push(task), "noted"), {
      annotations: { readOnlyHint: false, destructiveHint: false },
    }),
    tool("inquire", (_, { resumed }) =>
      resumed === undefined
        ? suspend([{ id: "who", type: "input", message: "Who?" }], null)
        : JSON.stringify(resumed.answers),
    ),
    tool(
      "ponder",
      (_, { signal }) =>
        new Promise((_, reject) => {
          for (const end of [signal, closing.signal]) {
            end.addEventListener("abort", () => reject(end.reason as Error));
          }
        }),
    ),
    tool("leave"),
  ]);
  const close = async (): Promise<void> => {
    closing.abort();
    await source.close();
  };
  return { ...source, trustAnnotations: true, close, [Symbol.asyncDispose]: close };
}

function manifest(
  name: string,
  create: Manifest["create"],
  named: (tool: string) => string,
): Manifest {
  const call = (task: string) => ({ tool: named("scribe"), arguments: { task } });
  const count = (): number => notes.length;
  return {
    name,
    create,
    samples: {
      succeedingCalls: [call("note that"), call("nothing")],
      failingCalls: [call("forget it")],
      slowCalls: [call("ponder it")],
      effectCalls: [{ ...call("note this"), count }],
      suspendingCalls: [{ ...call("inquire"), answer: () => ({ type: "input", value: "Emma" }) }],
      updatingCalls: [call("note that")],
      largeCalls: [{ ...call("recite"), bytes: longest }],
    },
    generatedCalls: [named("scribe")],
    state: count,
    without: {
      secrets: "a scripted model receives none",
      change: "the tools of an office stay the same",
      outage: "a scripted model and functions depend on nothing",
    },
  };
}

conformance(manifest("a sub-agent", office, (tool) => tool));
conformance(
  manifest(
    "a sub-agent with a prefix and a filter",
    () =>
      prefix(
        filter(office(), ({ spec }) => spec.name !== "leave"),
        "town",
      ),
    (tool) => `town__${tool}`,
  ),
);
