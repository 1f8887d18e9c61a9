import { checkOptions } from "../contract/check-options.ts";
import { ToolError } from "../contract/tool-error.ts";
import { isToolError, toErrorMessage } from "../contract/error-message.ts";
import { SecretFinder } from "../redaction/secret-finder.ts";
import { SecretRedactor } from "../redaction/secret-redactor.ts";
import type { SecretSet } from "../redaction/secret-set.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { Awaitable } from "../json/json.ts";
import type { Tool } from "../contract/tool.ts";
import { sameSpec } from "./registry-diff.ts";
import type { SourceProblem, ToolSource } from "./tool-source.ts";

/** A list of tools, with what could not become one. */
export interface LoadedTools {
  readonly tools: readonly Tool[];
  /** In place of those of the list before. Default: none. */
  readonly problems?: readonly SourceProblem[];
}

/** Options of a loaded source. */
export interface LoadedSourceOptions {
  /** Names the source among the others: a document's URL, a server's name. */
  readonly id: string;
  /**
   * Loads the list: for the first time, and at every refresh. Never runs twice at once.
   *
   * A tool that is described as before stays the object that it was, its code included: what tools
   * hold on to has to live as long as the source. Tools are compared by name and `fingerprint`;
   * without one by their specs, which makes all lazy schemas.
   *
   * @param signal fires when the source is closed: the loading has to end then, and so have calls.
   * Always the same one, so that tools can keep it.
   */
  load(signal: AbortSignal): Awaitable<readonly Tool[] | LoadedTools>;
  /** The tools' annotations may loosen a decision. Default: false; they can only tighten it. */
  readonly trustAnnotations?: boolean;
  /** The credentials that the source holds. Errors that `load` throws are redacted with them. */
  readonly secrets?: SecretSet;
  /** The reason why the loaded tools cannot be called now; added to `problems`, without the secrets. */
  trouble?(): ToolError | undefined;
  /** Further information for the host, a sentence each; added to `problems` as warnings, without the secrets. */
  warnings?(): readonly string[];
  /** Releases the resources that `load` has opened. Called once, when no loading is in progress any more. */
  close?(): Awaitable<void>;
}

/** A source that can load its tools again. */
export interface LoadedSource extends ToolSource {
  /**
   * Loads the tools again. Resolves when a loading that began after this call is done: refreshes that are requested
   * meanwhile are one. Rejects with a `ToolError` when that fails; then the tools stay, and `problems` reports the
   * failure until a refresh succeeds. The promise need not be awaited.
   */
  refresh(): Promise<void>;
}

const optionNames: readonly string[] = [
  "id",
  "load",
  "trustAnnotations",
  "secrets",
  "trouble",
  "warnings",
  "close",
] satisfies readonly (keyof LoadedSourceOptions)[];

/**
 * A source whose tools are loaded, and loaded again when they may have changed. Returns at once and loads; `ready`
 * rejects with a `ToolError` when that fails: the one that `load` throws, else `unavailable`, or `cancelled` when the
 * source is closed meanwhile. Listeners are notified of a list only when it differs.
 *
 * @throws ToolError `invalid_configuration` for an unknown option.
 * @example
 * ```ts
 * const menu = loadedSource({
 *   id: "menu",
 *   load: async () => {
 *     const dishes = await Promise.resolve(["soup", "cake"]); // ask the kitchen
 *     return dishes.map((dish) =>
 *       defineTool({
 *         name: `order_${dish}`,
 *         description: `Order ${dish}.`,
 *         input: { type: "object" },
 *         execute: () => `One ${dish}, please.`,
 *       }),
 *     );
 *   },
 * });
 * const registry = new ToolRegistry([menu]);
 * await registry.ready;
 * await menu.refresh();
 * ```
 */
export function loadedSource(options: LoadedSourceOptions): LoadedSource {
  checkOptions("loadedSource", options, optionNames);
  const { id, secrets } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const listeners = new Set<() => void>();
  let tools: readonly Tool[] = [];
  let problems: readonly SourceProblem[] = [];
  let outdated: readonly SourceProblem[] = [];
  let hasBegun = false;
  /** The loading that was asked for and has not begun. */
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  let closed: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    next = undefined;
    const isFirst = !hasBegun;
    hasBegun = true;
    try {
      signal.throwIfAborted();
      const loaded = await options.load(signal);
      signal.throwIfAborted();
      const list = isList(loaded) ? { tools: loaded } : loaded;
      const before = tools;
      tools = withKnown(before, list.tools);
      problems = [...(list.problems ?? [])];
      outdated = [];
      if (tools !== before) announce();
    } catch (thrown) {
      const error = redactError(thrown);
      if (!isFirst && !signal.aborted) {
        const message = `Its tools could not be loaded again, and stay as they are: ${error.message}`;
        outdated = [{ subject: id, message, severity: "warning" }];
      }
      throw error;
    }
  };

  const refresh = (): Promise<void> => {
    if (next === undefined) {
      // One after the other, so that an older list never replaces a newer one.
      next = last.then(load);
      // A caller that awaits it receives a failure; it need not be awaited.
      last = next.catch(() => {});
    }
    return next;
  };

  const announce = (): void => {
    for (const listener of [...listeners]) {
      // A listener may remove others, or close the source.
      if (!listeners.has(listener)) continue;
      try {
        listener();
      } catch {
        // A listener that throws does not keep the event from the others.
      }
    }
  };

  const redactError = (cause: unknown): ToolError => {
    let error: ToolError;
    if (signal.aborted)
      error = new ToolError("cancelled", `The source ${id} is closed.`, { cause });
    else if (isToolError(cause)) error = cause;
    else {
      const message = `The tools of ${id} cannot be loaded: ${toErrorMessage(cause)}`;
      error = new ToolError("unavailable", message, { cause });
    }
    if (secrets === undefined) return error;
    const sets = [secrets];
    return new SecretRedactor([new SecretFinder(() => sets, false)], []).error(error, true);
  };

  const troubles = (): readonly SourceProblem[] => {
    const trouble = options.trouble?.();
    if (trouble === undefined || signal.aborted) return [];
    const message = `Its tools cannot be called now: ${redactError(trouble).message}`;
    return [{ subject: id, message, severity: "warning" }];
  };

  const warnings = (): readonly SourceProblem[] =>
    (options.warnings?.() ?? []).map((warning) => ({
      subject: id,
      message: redactError(new ToolError("upstream", warning)).message,
      severity: "warning",
    }));

  const close = (): Promise<void> => {
    if (closed === undefined) {
      closed = last.then(() => options.close?.());
      tools = [];
      listeners.clear();
      closing.abort();
    }
    return closed;
  };

  return {
    id,
    ready: refresh(),
    get problems() {
      return [...problems, ...outdated, ...troubles(), ...(signal.aborted ? [] : warnings())];
    },
    trustAnnotations: options.trustAnnotations === true,
    ...(secrets === undefined ? {} : { secrets }),
    tools: () => tools,
    onChange(listener) {
      // A listener that is added twice is notified twice, and removed one by one.
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    refresh,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The tools of `after`, those of `before` where they are the same; `before` itself if all are. */
function withKnown(before: readonly Tool[], after: readonly Tool[]): readonly Tool[] {
  const known = new Map(before.map((tool) => [tool.spec.name, tool]));
  const list = new Set<Tool>();
  for (const tool of after) {
    const old = known.get(tool.spec.name);
    list.add(old !== undefined && isSame(old, tool) ? old : tool);
  }
  // The order means nothing, and not everyone lists in the same one each time.
  const isOther = list.size !== before.length || !before.every((tool) => list.has(tool));
  return isOther ? [...list] : before;
}

function isSame(a: Tool, b: Tool): boolean {
  return a === b || (sameSpec(a, b) && serializeState(a) === serializeState(b));
}

/** The tool's properties outside its spec. */
function serializeState(tool: Tool): string {
  const { availability, argumentsValidation, outputValidation, delegates, acceptsBigint } = tool;
  return canonicalJson([
    availability,
    argumentsValidation,
    outputValidation,
    delegates === true,
    acceptsBigint,
  ]);
}

// `Array.isArray` does not narrow readonly arrays.
function isList(loaded: readonly Tool[] | LoadedTools): loaded is readonly Tool[] {
  return Array.isArray(loaded);
}
