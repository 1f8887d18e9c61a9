import {
  nearNames,
  ToolExecutor,
  type OnAsk,
  type ToolOutcome,
  type ToolRegistry,
} from "@toolweave/core";
import { askingApprover, canAsk } from "./approve.ts";
import type { CliIo } from "./cli-io.ts";
import { describeError } from "./describe-error.ts";
import { exitCode } from "./exit-code.ts";
import { loadRegistry } from "./load-registry.ts";
import { outcomeExitCode } from "./outcome-exit-code.ts";
import type { Output } from "./output.ts";
import { parseArguments } from "./parse-arguments.ts";
import { readArgsOption } from "./read-args-option.ts";
import { renderResult } from "./render-result.ts";
import { safeJson, safeText } from "./safe-text.ts";
import { sourceOptions, type ApiOptions } from "./source-options.ts";
import { UsageError } from "./usage-error.ts";

/** The options of `toolweave call`. */
export interface CallOptions extends ApiOptions {
  readonly args?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** `toolweave call`: calls one tool, asks first where the policy does, and prints the answer. */
export async function call(
  tool: string,
  words: readonly string[],
  options: CallOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { verbose = false, timeout } = options;
  const api = sourceOptions(options, io.env);
  output.keepSecret(...api.secrets);
  const base = options.args === undefined ? {} : await readArgsOption(options.args, io);
  const { registry, failures } = await loadRegistry(options.openapi, api.options, io);
  try {
    for (const failure of failures) output.say(describeError(failure, verbose));
    if (failures.length > 0) return exitCode.sourceFailed;

    const found = registry.get(tool);
    if (found === undefined) throw unknownTool(registry, tool);
    const { inputSchema } = found.spec;
    // Reading the schema is what shows that an operation is broken.
    if (found.availability?.status === "unavailable") {
      output.say(describeError(new Error(found.availability.reason), false));
      return exitCode.toolError;
    }
    const args = words.length === 0 ? base : parseArguments(words, inputSchema, base);
    const executor = new ToolExecutor({
      registry,
      onAsk: onAsk(options, io),
      // A person reads the answer, or a program does: neither has a model's limits.
      maxOutputBytes: Infinity,
      ...(timeout === undefined ? {} : { timeoutMs: timeout, maxTimeoutMs: 0 }),
    });
    const outcome = await executor.execute(
      { id: "call", name: tool, arguments: args },
      { signal: io.signal },
    );
    await report(outcome, options, output);
    return outcomeExitCode(outcome, io.signal.aborted);
  } finally {
    await registry.close();
  }
}

function unknownTool(registry: ToolRegistry, tool: string): UsageError {
  const near = nearNames(tool, registry.toolset().names());
  const meant = near.length > 0 ? ` Did you mean ${near.join(", ")}?` : "";
  return new UsageError(
    `There is no tool ${JSON.stringify(tool.slice(0, 80))}.${meant} \`toolweave inspect\` lists them.`,
  );
}

function onAsk({ yes, args }: CallOptions, io: CliIo): OnAsk {
  if (yes === true) return () => ({ approved: true });
  // Whoever pipes the arguments in has no stdin left to answer with.
  return canAsk(io) && args !== "-" ? askingApprover(io) : "interrupt";
}

async function report(
  outcome: ToolOutcome,
  { json, verbose = false }: CallOptions,
  output: Output,
): Promise<void> {
  if (json === true) await output.write(`${safeJson(JSON.stringify(outcome, null, 2))}\n`);
  if (outcome.status === "interrupted") {
    const { call, requests } = outcome.interruption;
    const reasons = requests.flatMap((request) =>
      request.type === "approval" ? [request.reason] : [],
    );
    const why = reasons.length > 0 ? ` (${reasons.join("; ")})` : "";
    output.say(
      safeText(
        `toolweave: ${call.name} waits for approval${why}, and nobody can be asked here: add --yes to approve it.`,
      ),
    );
  } else if (outcome.error?.code === "approval_rejected") {
    output.say(`toolweave: ${outcome.result.toolName} was not called: you did not approve it.`);
  } else if (outcome.error !== undefined) {
    output.say(describeError(outcome.error, verbose));
  } else if (json !== true) {
    const { text, notes } = renderResult(outcome.result.content);
    const shown = output.isTerminal ? safeText(text) : text;
    if (shown !== "") await output.write(shown.endsWith("\n") ? shown : `${shown}\n`);
    for (const note of notes) output.say(safeText(`toolweave: ${note}`));
  }
}
