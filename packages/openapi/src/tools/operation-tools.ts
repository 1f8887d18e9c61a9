import type { JsonObject, Tool } from "@toolweave/core";
import { visibleText, type SourceProblem } from "@toolweave/core/adapter";
import type { OperationSettings } from "../settings/operation-settings.ts";
import type { Operation } from "../document/operation.ts";
import type { LinkTarget } from "../exchange/follow-ups/linked-calls.ts";
import { OperationTool } from "./operation-tool.ts";
import type { ToolHost } from "./tool-host.ts";
import {
  findingProblem,
  scanSpec,
  scanText,
  twinProblems,
  type SpecFinding,
} from "@toolweave/core/scan";

/** The tools of the document that was loaded last, without those that turned out to be invalid. */
export class OperationTools {
  /** Includes the invalid ones. */
  #all: ReadonlyMap<Operation, OperationTool> = new Map();
  #current: ReadonlySet<Tool> = new Set();
  #broken = new Set<Tool>();
  /** The problems found since the tools were created, without duplicates. */
  #problems = new Map<string, SourceProblem>();
  /** Absent: to be computed from all tools that are not invalid. */
  #usable: readonly OperationTool[] | undefined = [];
  #isNotificationPending = false;
  readonly #scan = new OperationScan();
  readonly #notify: () => void;

  /** @param announce called when the tools have changed. */
  constructor(announce: () => void) {
    this.#notify = announce;
  }

  /** The tools that can be called. The same list until it changes. */
  get usable(): readonly OperationTool[] {
    this.#usable ??= [...this.#all.values()].filter((tool) => !this.#broken.has(tool));
    return this.#usable;
  }

  /** The problems that were found when the tools were first needed. */
  get problems(): readonly SourceProblem[] {
    return [...this.#problems.values()];
  }

  /** The findings in the texts of the tools, as warnings: searched for when this is read. */
  get findings(): readonly SourceProblem[] {
    return this.#scan.problems(this.usable);
  }

  /** Creates tools for operations, except for those that have one. */
  async replaceAll(
    settings: ReadonlyMap<Operation, OperationSettings>,
    host: ToolHost,
  ): Promise<void> {
    const before = this.#all;
    this.#dropProblems(settings);
    let isSame = before.size === settings.size;
    const all = new Map<Operation, OperationTool>();
    const fixing: OperationTool[] = [];
    for (const [operation, own] of settings) {
      const known = before.get(operation);
      const tool =
        known?.hasName(own.name) === true ? known : new OperationTool(operation, own, host);
      all.set(operation, tool);
      if (tool === known) continue;
      isSame = false;
      if (own.fixed !== undefined) fixing.push(tool);
    }
    this.#all = all;
    if (isSame && before.size > 0) return;
    this.#current = new Set(all.values());
    this.#broken = new Set([...this.#broken].filter((tool) => this.#current.has(tool)));
    this.#usable = undefined;
    for (const tool of fixing) await tool.checkFixed();
    this.#notify();
  }

  /** Returns the tool to which a Link Object leads. */
  findLinked(link: JsonObject): LinkTarget | undefined {
    for (const tool of this.#all.values()) {
      const target = this.#broken.has(tool) ? undefined : tool.findLinkTarget(link);
      if (target !== undefined) return target;
    }
    return undefined;
  }

  /** Records a restriction that was found when an operation was first needed. */
  warn(problem: SourceProblem): void {
    this.#problems.set(`${problem.pointer} ${problem.message}`, problem);
  }

  /** Removes a tool that turned out to be invalid. Without `problem`, the document has already reported it. */
  drop(tool: Tool, problem: SourceProblem | undefined): void {
    // A caller that still has a tool of an older version may read its schema.
    if (!this.#current.has(tool)) return;
    if (problem !== undefined) this.warn(problem);
    this.#broken.add(tool);
    this.#usable = undefined;
    if (this.#isNotificationPending) return;
    this.#isNotificationPending = true;
    // A caller that reads a schema may be iterating over the list, so listeners are notified after it.
    queueMicrotask(() => {
      this.#isNotificationPending = false;
      this.#notify();
    });
  }

  /** Removes all tools. */
  clear(): void {
    this.#all = new Map();
    this.#current = new Set();
    this.#usable = [];
  }

  /** Removes the problems of tools that no longer exist. */
  #dropProblems(settings: ReadonlyMap<Operation, OperationSettings>): void {
    const subjects = new Set<string>();
    for (const operation of settings.keys()) {
      if (!this.#all.has(operation)) continue;
      const subject = `${operation.method} ${operation.path}`;
      subjects.add(subject).add(visibleText(subject));
    }
    for (const [key, { subject }] of this.#problems) {
      if (!subjects.has(subject)) this.#problems.delete(key);
    }
  }
}

/** Maximum number of characters of one document that are scanned. */
const maxCharacters = 5_000_000;
/** Maximum number of characters of one text: a longer one is not listed in full. */
const maxText = 2_000;

/** The findings in one tool's texts. */
interface Scanned {
  /** True if its schemas were scanned too. */
  readonly isComplete: boolean;
  readonly problems: readonly SourceProblem[];
}

/**
 * Scans the texts of a document's operations for prompt injection, and for names that look alike. It runs when problems
 * are read, once for each text; for an operation that was not needed yet it scans only the summary and the description,
 * so that no schemas have to be created.
 */
class OperationScan {
  readonly #scanned = new WeakMap<OperationTool, Scanned>();
  #tools: readonly OperationTool[] | undefined;
  #lookAlikes: readonly SourceProblem[] = [];
  #charactersLeft = maxCharacters;

  /** Returns the findings in `tools`, as warnings. The same list of tools is compared only once. */
  problems(tools: readonly OperationTool[]): readonly SourceProblem[] {
    if (tools !== this.#tools) {
      this.#tools = tools;
      this.#lookAlikes = twinProblems(
        tools,
        tools.map((tool) => tool.state.operation.operationId ?? tool.spec.name),
      );
    }
    return [...this.#lookAlikes, ...tools.flatMap((tool) => this.#scan(tool))];
  }

  #scan(tool: OperationTool): readonly SourceProblem[] {
    const known = this.#scanned.get(tool);
    const { operation, isRealised } = tool.state;
    if (known !== undefined && (known.isComplete || !isRealised)) return known.problems;
    if (this.#charactersLeft <= 0) return known?.problems ?? [];
    const findings = isRealised ? this.#scanSpec(tool) : this.#scanTexts(tool);
    const problems = findings.map((finding) => {
      const { message, severity } = findingProblem(tool.spec, finding, "document") as SourceProblem;
      const subject = visibleText(`${operation.method} ${operation.path}`);
      return { subject, message, pointer: operation.pointer, ...(severity && { severity }) };
    });
    this.#scanned.set(tool, { isComplete: isRealised, problems });
    return problems;
  }

  #scanSpec({ spec }: OperationTool): readonly SpecFinding[] {
    const { inputSchema, outputSchema, title, description } = spec;
    // Without metadata, which comes from the adapter and not from the document.
    const scanned = { ...spec, inputSchema, title, description, metadata: undefined };
    this.#charactersLeft -= JSON.stringify([inputSchema, outputSchema]).length;
    return scanSpec({
      ...scanned,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    } as never);
  }

  #scanTexts(tool: OperationTool): readonly SpecFinding[] {
    const { summary = "", description = "", operationId = "" } = tool.state.operation;
    const name = operationId.replace(/[_.-]+/g, " ");
    const text = [name, summary, description]
      .map((one) => visibleText(one.slice(0, maxText)))
      .join("\n");
    this.#charactersLeft -= text.length;
    return scanText(text).map((finding) => ({ ...finding, pointer: "/description" }));
  }
}
