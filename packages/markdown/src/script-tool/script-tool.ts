import {
  defineTool,
  ToolError,
  type Suspension,
  type Tool,
  type ToolContext,
  type ToolOutput,
  type ToolSpec,
  type Toolset,
} from "@toolweave/core";
import type { Program } from "@toolweave/starlark";
import { runScript } from "../script/run-script.ts";
import { describeFunctionsTool, withProvenance } from "./describe-functions.ts";
import { describeRules, describeScriptTool } from "./describe-scripts.ts";
import { callableBy, functionIndex } from "./function-index.ts";
import { scriptValues } from "./function-values.ts";
import { ScriptFaults } from "./script-fault.ts";
import { toScriptSettings, type ScriptSettings, type ScriptToolOptions } from "./script-options.ts";
import { Printed, toSessionOutput } from "./session-output.ts";
import { compileSession, lastName, resultName } from "./session-program.ts";
import { checks } from "@toolweave/core/adapter";

/** Bytes of a script. */
const maxScriptBytes = 65_536;

/** Set for everything that runs below a script: a script runs no script. */
const withinScript: unique symbol = Symbol("toolweave.withinScript");

/**
 * The tool `run_script`: a model writes a Starlark script that calls the tools that the model itself could call, so that
 * loops and intermediate results do not pass through the model. Each call in it is a call of its own under the policy,
 * hooks, limits and approvals of the executor; if one waits for a person, the script waits, and continues in any process.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @example
 * ```ts
 * const registry = new ToolRegistry([toolsSource("scripts", scriptTools())]);
 * ```
 */
export function scriptTool(options: ScriptToolOptions = {}): Tool {
  return runScriptTool(toScriptSettings(options));
}

/**
 * `run_script`, and `describe_functions`, with which a model reads the parameters and results of the functions.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 */
export function scriptTools(options: ScriptToolOptions = {}): readonly [run: Tool, describe: Tool] {
  const settings = toScriptSettings(options);
  return [runScriptTool(settings), describeFunctionsTool(settings)];
}

/**
 * The description of the tool that runs scripts, with the names of a toolset's functions: for hosts that make the list of
 * tools themselves. The tool's own description, which an approval holds for, stays as it is.
 *
 * @param options those of the tool.
 */
export function describeScripts(toolset: Toolset, options: ScriptToolOptions = {}): string {
  checks
    .withMethods("executor.toolset", "callableNames")
    .check("describeScripts: toolset", toolset);
  return describeScriptTool(toScriptSettings(options), toolset);
}

function runScriptTool(settings: ScriptSettings): Tool {
  const { name, timeoutMs, readOnly, toolset } = settings;
  const tool = defineTool({
    name,
    title: "Run a script",
    description: describeRules(settings),
    input: {
      type: "object",
      properties: {
        script: { type: "string", description: "Starlark.", maxLength: maxScriptBytes },
      },
      required: ["script"],
      additionalProperties: false,
    },
    annotations: readOnly
      ? { readOnlyHint: true, openWorldHint: true }
      : { readOnlyHint: false, openWorldHint: true },
    timeoutMs,
    // Regardless of the host's retries: half of the calls may have happened.
    retry: { attempts: 1 },
    preflight: () => [{ kind: "delegate", target: name, summary: "Run a script that calls tools" }],
    execute: ({ script }, ctx) => run(script, ctx, settings),
  });
  const made = withProvenance(tool as Tool);
  if (toolset === undefined) return made;
  const spec = Object.defineProperty(
    Object.defineProperties({}, Object.getOwnPropertyDescriptors(made.spec)),
    "description",
    { enumerable: true, get: () => describeScriptTool(settings, toolset()) },
  ) as ToolSpec;
  return { ...made, spec };
}

async function run(
  script: string,
  ctx: ToolContext,
  { limits, readOnly, hints = [] }: ScriptSettings,
): Promise<ToolOutput | Suspension> {
  if (ctx.scope.inheritedContext.has(withinScript)) {
    throw new ToolError(
      "permission_denied",
      `A script cannot call ${ctx.toolName}, and neither can the tools that it calls.`,
    );
  }
  if (Buffer.byteLength(script) > maxScriptBytes) {
    throw new ToolError("invalid_arguments", `The script is longer than ${maxScriptBytes} bytes.`);
  }
  const { toolset } = ctx.scope;
  const index = functionIndex(toolset);
  const faults = new ScriptFaults(script, index, hints);
  const values = scriptValues(script, index, toolset, callableBy(ctx));
  let program: Program;
  try {
    program = compileSession(script, Object.keys(values));
  } catch (error) {
    throw faults.invalid(error);
  }
  const printed = new Printed(limits.printedBytes);
  const nested = {
    inherit: new Map([[withinScript, true]]),
    ...(readOnly ? { narrow: "readOnly" as const } : {}),
  };
  try {
    return await runScript({
      program: { program, kind: "session" },
      resultNames: [resultName, lastName],
      ctx,
      host: { cacheFor: () => new Map(), predeclared: () => values },
      limits: { steps: limits.steps, memoryBytes: limits.memoryBytes, effects: limits.calls },
      maxJournalBytes: limits.journalBytes,
      nested,
      print: printed.add,
      toOutput: (value, { details } = {}) =>
        toSessionOutput(value, printed.text, limits.resultBytes, details),
    });
  } catch (error) {
    throw faults.failed(error, printed.text);
  }
}
