import { TestRunner } from "vitest";
import {
  ajvValidator,
  defineTool,
  suspend,
  ToolExecutor,
  ToolRegistry,
  type ExecuteReturn,
  type ExecutorOptions,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type RegistryInput,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolDefinition,
  type ToolEvent,
  type ToolSpec,
} from "@toolweave/core";
import type { SchemaValidator } from "@toolweave/core/adapter";

/**
 * One for all executors, since loading Ajv again for each would take most of the tests' time; and
 * loaded before the first test, so that no test waits for more than its own steps.
 */
export const validator: SchemaValidator = ajvValidator();
await validator.compile({ type: "object" });

type Definition = Partial<ToolDefinition<JsonSchema>>;

/** A tool of the host that accepts any object. */
export function tool(
  name: string,
  execute: (args: JsonObject, ctx: ToolContext) => ExecuteReturn = () => `${name} ran`,
  more: Definition = {},
): Tool {
  return defineTool<JsonSchema>({
    name,
    description: `The tool ${name}.`,
    input: { type: "object" },
    ...more,
    execute,
  });
}

/** An executor with its own registry. */
export function executorFor(
  inputs: RegistryInput | readonly RegistryInput[],
  options: Omit<ExecutorOptions, "registry"> = {},
): ToolExecutor {
  const list = Array.isArray(inputs) ? (inputs as readonly RegistryInput[]) : [inputs];
  return new ToolExecutor({
    registry: new ToolRegistry(list as RegistryInput[]),
    validator,
    ...options,
  });
}

/** The number of calls of each name that a test has made, by test. */
const made = new WeakMap<object, Map<string, number>>();

/** A call. Its id is its name; of later calls in the same test, the name with a number. */
export function call(name: string, args: string | JsonObject = {}, id?: string): ToolCall {
  return { id: id ?? nextId(name), name, arguments: args };
}

function nextId(name: string): string {
  const test: object | undefined = TestRunner.getCurrentTest();
  if (test === undefined) return name;
  const calls = made.get(test) ?? new Map<string, number>();
  made.set(test, calls);
  const count = (calls.get(name) ?? 0) + 1;
  calls.set(name, count);
  return count === 1 ? name : `${name} ${count}`;
}

/** Every event from now on. */
export function recorded(executor: ToolExecutor): ToolEvent[] {
  const events: ToolEvent[] = [];
  executor.on((event) => events.push(event));
  return events;
}

/** The types of recorded events, in order. */
export function listTypes(events: readonly ToolEvent[]): string[] {
  return events.map(({ type }) => type);
}

/** A tool as an adapter would create it; its source decides whether it is trusted. */
export function foreignTool(
  name: string,
  more: Partial<Omit<Tool, "spec">> & { readonly spec?: Partial<ToolSpec> } = {},
): Tool {
  return {
    invoke: () => `${name} ran`,
    ...more,
    spec: {
      name,
      description: `The tool ${name}.`,
      inputSchema: { type: "object" },
      annotations: {},
      provenance: { adapter: "mcp", source: "elsewhere" },
      ...more.spec,
    },
  };
}

/** A tool that needs approval and records its arguments. */
export function guarded(ran: JsonObject[] = []): Tool {
  return tool("pay", (args) => (ran.push(args), "paid"), { needsApproval: true });
}

/** A tool that calls another, passes on its interruption, and resumes it with the answer. */
export function delegating(name: string, to: string, more = {}): Tool {
  return tool(
    name,
    async (args, { scope, resumed }) => {
      const outcome =
        resumed === undefined
          ? await scope.execute(call(to, args, `${name}>${to}`))
          : await scope.resume(resumed.state as never);
      if (outcome.status === "interrupted") {
        const { interruption } = outcome;
        return suspend(interruption.requests, interruption as unknown as JsonValue);
      }
      return { [to]: outcome.result.value ?? outcome.error?.code ?? null };
    },
    more,
  );
}
