import { defineTool, type Tool, type ToolSource, type ToolSpec } from "@toolweave/core";
import type { Manifest } from "../../src/index.ts";
import { sourceManifest, toolsManifest } from "../fixtures/index.ts";

/** A deliberately broken subject, and the one rule that must fail. */
export interface Mutant {
  readonly rule: string;
  /** The fault, as it occurs in practice. */
  readonly what: string;
  readonly manifest: () => Manifest;
  /** Something in it never ends: the kit need not wait long to detect that. */
  readonly hangs?: boolean;
  /** Rules that have to run before it, if the fault appears only after other calls. */
  readonly after?: readonly string[];
}

/** A tool that no sample call needs. */
export const spare: Tool = defineTool({
  name: "spare",
  description: "Multiply two numbers.",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: ({ a, b }) => a * b,
});

/** The healthy tools, changed. */
export function ofTools(
  rule: string,
  what: string,
  change: NonNullable<Parameters<typeof toolsManifest>[0]>,
): Mutant {
  return { rule, what, manifest: () => toolsManifest(change) };
}

/** The healthy tools, one of them with other parts. */
export function ofTool(
  rule: string,
  name: string,
  what: string,
  change: (tool: Tool) => Partial<Tool>,
): Mutant {
  return ofTools(rule, what, (tools) =>
    tools.map((tool) => (tool.spec.name === name ? withParts(tool, change(tool)) : tool)),
  );
}

/** The healthy tools, one of them with other fields in its spec; getters stay getters. */
export function ofSpec(
  rule: string,
  what: string,
  change: (spec: ToolSpec) => Partial<ToolSpec>,
  name = "spare",
): Mutant {
  return ofTools(rule, what, (tools) => {
    const all = [...tools, spare];
    return all.map((tool) => {
      if (tool.spec.name !== name) return tool;
      const fields = {
        ...Object.getOwnPropertyDescriptors(tool.spec),
        ...Object.getOwnPropertyDescriptors(change(tool.spec)),
      };
      return withParts(tool, { spec: Object.defineProperties({}, fields) as ToolSpec });
    });
  });
}

/** A mutant in which something never ends. */
export function hanging(mutant: Mutant): Mutant {
  return { ...mutant, hangs: true };
}

/** A mutant whose fault appears only once the calls of other rules have been made. */
export function afterRules(after: readonly string[], mutant: Mutant): Mutant {
  return { ...mutant, after };
}

/** The healthy source, changed. */
export function ofSource(
  rule: string,
  what: string,
  change: NonNullable<Parameters<typeof sourceManifest>[0]>,
): Mutant {
  return { rule, what, manifest: () => sourceManifest(change) };
}

/** A source with other parts; getters stay getters. */
export function over(source: ToolSource, changes: Partial<ToolSource>): ToolSource {
  const base: ToolSource = {
    id: source.id,
    ready: source.ready,
    problems: source.problems,
    ...(source.secrets === undefined ? {} : { secrets: source.secrets }),
    ...(source.trustAnnotations === undefined ? {} : { trustAnnotations: source.trustAnnotations }),
    tools: () => source.tools(),
    onChange: (listener) => source.onChange(listener),
    close: () => source.close(),
    [Symbol.asyncDispose]: () => source.close(),
  };
  return Object.defineProperties(base, Object.getOwnPropertyDescriptors(changes));
}

function withParts(tool: Tool, parts: Partial<Tool>): Tool {
  return {
    spec: tool.spec,
    ...(tool.validate === undefined ? {} : { validate: tool.validate.bind(tool) }),
    ...(tool.preflight === undefined ? {} : { preflight: tool.preflight.bind(tool) }),
    invoke: tool.invoke.bind(tool),
    ...parts,
  };
}

/** The tools, one of which runs `invoke`; its original function is passed on. */
export function withInvoke(
  tools: readonly Tool[],
  name: string,
  invoke: (...given: [...Parameters<Tool["invoke"]>, Tool["invoke"]]) => ReturnType<Tool["invoke"]>,
): Tool[] {
  return tools.map((tool) =>
    tool.spec.name === name
      ? withParts(tool, { invoke: (args, ctx) => invoke(args, ctx, tool.invoke.bind(tool)) })
      : tool,
  );
}

/** A rejection that need not be handled. */
export function rejected(message: string): Promise<never> {
  const rejection = Promise.reject(new Error(message));
  // A caller that awaits it receives the error; without a caller it must not be unhandled.
  rejection.catch(() => {});
  return rejection;
}

/** A spec that is empty for `JSON.stringify`. */
export class SpecOfGetters implements ToolSpec {
  readonly #spec: ToolSpec;

  constructor(spec: ToolSpec) {
    this.#spec = spec;
  }

  get name(): string {
    return this.#spec.name;
  }

  get description(): string {
    return this.#spec.description;
  }

  get inputSchema(): ToolSpec["inputSchema"] {
    return this.#spec.inputSchema;
  }

  get annotations(): ToolSpec["annotations"] {
    return this.#spec.annotations;
  }

  get provenance(): ToolSpec["provenance"] {
    return this.#spec.provenance;
  }
}
