import { visibleText, type JsonObject, type SourceProblem, type Tool } from "@toolweave/core";
import type { OperationSettings } from "../settings/operation-settings.ts";
import type { Operation } from "../document/operation.ts";
import type { LinkTarget } from "../exchange/follow-ups/linked-calls.ts";
import { OperationTool } from "./operation-tool.ts";
import { OperationScan } from "./operation-scan.ts";
import type { ToolHost } from "./tool-host.ts";

/** The tools of the document that was loaded last, without those that turned out to be broken. */
export class OperationTools {
  /** The broken ones, too. */
  #all: ReadonlyMap<Operation, OperationTool> = new Map();
  #live: ReadonlySet<Tool> = new Set();
  #broken = new Set<Tool>();
  /** What was found of the tools since they were made, each once. */
  #found = new Map<string, SourceProblem>();
  /** Absent: to be made of all that are not broken. */
  #usable: readonly OperationTool[] | undefined = [];
  #announcing = false;
  readonly #scan = new OperationScan();
  readonly #announce: () => void;

  /** @param announce says that there are other tools than before. */
  constructor(announce: () => void) {
    this.#announce = announce;
  }

  /** Those that can be called. The same list until it changes. */
  get usable(): readonly OperationTool[] {
    this.#usable ??= [...this.#all.values()].filter((tool) => !this.#broken.has(tool));
    return this.#usable;
  }

  /** What was found of them when they were first needed, and what seems wrong with their texts. */
  get problems(): readonly SourceProblem[] {
    return [...this.#found.values(), ...this.#scan.problems(this.usable)];
  }

  /** Makes tools of operations, except of those that have one. */
  async take(settings: ReadonlyMap<Operation, OperationSettings>, host: ToolHost): Promise<void> {
    const before = this.#all;
    this.#forget(settings);
    let isSame = before.size === settings.size;
    const all = new Map<Operation, OperationTool>();
    const fixing: OperationTool[] = [];
    for (const [operation, own] of settings) {
      const known = before.get(operation);
      const tool =
        known?.isCalled(own.name) === true ? known : new OperationTool(operation, own, host);
      all.set(operation, tool);
      if (tool === known) continue;
      isSame = false;
      if (own.fixed !== undefined) fixing.push(tool);
    }
    this.#all = all;
    if (isSame && before.size > 0) return;
    this.#live = new Set(all.values());
    this.#broken = new Set([...this.#broken].filter((tool) => this.#live.has(tool)));
    this.#usable = undefined;
    for (const tool of fixing) await tool.checkFixed();
    this.#announce();
  }

  /** The tool that a Link Object leads to. */
  linked(link: JsonObject): LinkTarget | undefined {
    for (const tool of this.#all.values()) {
      const target = this.#broken.has(tool) ? undefined : tool.linkTarget(link);
      if (target !== undefined) return target;
    }
    return undefined;
  }

  /** A restriction that was found when an operation was first needed. */
  warn(problem: SourceProblem): void {
    this.#found.set(`${problem.pointer} ${problem.message}`, problem);
  }

  /** A tool turned out to be broken. Without `problem` the document has named it already. */
  drop(tool: OperationTool, problem: SourceProblem | undefined): void {
    // Whoever has kept a tool of an older version may still ask it for its schema.
    if (!this.#live.has(tool)) return;
    if (problem !== undefined) this.warn(problem);
    this.#broken.add(tool);
    this.#usable = undefined;
    if (this.#announcing) return;
    this.#announcing = true;
    // Whoever reads a schema may be in the middle of a list: it hears of the change when it is done.
    queueMicrotask(() => {
      this.#announcing = false;
      this.#announce();
    });
  }

  /** Lets go of all of them. */
  clear(): void {
    this.#all = new Map();
    this.#live = new Set();
    this.#usable = [];
  }

  /** Drops what was found of tools that go. */
  #forget(settings: ReadonlyMap<Operation, OperationSettings>): void {
    const subjects = new Set<string>();
    for (const operation of settings.keys()) {
      if (!this.#all.has(operation)) continue;
      const subject = `${operation.method} ${operation.path}`;
      subjects.add(subject).add(visibleText(subject));
    }
    for (const [key, { subject }] of this.#found) {
      if (!subjects.has(subject)) this.#found.delete(key);
    }
  }
}
