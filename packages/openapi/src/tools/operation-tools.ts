import type { JsonObject, Tool } from "@toolweave/core";
import { visibleText, type SourceProblem } from "@toolweave/core/adapter";
import type { OperationSettings } from "../settings/operation-settings.ts";
import type { Operation } from "../document/operation.ts";
import type { LinkTarget } from "../exchange/follow-ups/linked-calls.ts";
import { OperationTool } from "./operation-tool.ts";
import { OperationScan } from "./operation-scan.ts";
import type { ToolHost } from "./tool-host.ts";

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

  /** The problems that were found when the tools were first needed, and the findings in their texts. */
  get problems(): readonly SourceProblem[] {
    return [...this.#problems.values(), ...this.#scan.problems(this.usable)];
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
