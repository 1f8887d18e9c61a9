import type { RegisteredSource, RegistryProblem, ToolExecutor } from "@toolweave/core";
import { isToolName } from "@toolweave/core/adapter";

/** A source of tools. */
export interface SourceRow {
  readonly id: string;
  /** The adapter of its tools: `openapi`, `mcp`, `code`, … Empty: it has no tool. */
  readonly adapter: string;
  readonly tools: number;
  /** The number of the problems of all sources with its id. */
  readonly problems: number;
  readonly state: RegisteredSource["state"];
  /** With `failed`: the reason. */
  readonly message?: string;
  readonly trusted: boolean;
}

/** Something that could not become a tool, a source that could not be loaded, or configuration without an effect. */
export interface ProblemRow {
  readonly kind: "source" | "tool" | "configuration";
  /** The id of the source; `configuration` for the configuration of the executor. */
  readonly source: string;
  readonly message: string;
  /** The operation or tool and its place in the document, or the place in the configuration. */
  readonly place?: string;
  /** The tool that has the problem, or that is missing because of it. */
  readonly tool?: string;
  /** `warning`: there is such a tool, with a restriction. */
  readonly severity: "error" | "warning";
}

/** Lists the sources with the numbers of their tools and problems. */
export function listSources(executor: ToolExecutor): readonly SourceRow[] {
  const { registry } = executor;
  const problems = new Map<string, number>();
  for (const { source } of registry.problems) problems.set(source, (problems.get(source) ?? 0) + 1);
  const rows = registry.sources.map(
    ({ id, adapter = "", size, state, message, trusted }): SourceRow => ({
      id,
      adapter,
      tools: size,
      problems: problems.get(id) ?? 0,
      state,
      ...(message === undefined ? {} : { message }),
      trusted,
    }),
  );
  return executor.redact(rows);
}

/** Lists the problems of the sources, then those of the configuration. */
export function listProblems(executor: ToolExecutor): readonly ProblemRow[] {
  const { registry } = executor;
  const failed = new Set(registry.failedSources);
  const ofSources = registry.problems.map((problem) => toRow(problem, failed.has(problem)));
  const ofConfiguration = executor
    .configurationWarnings()
    .map(({ where, message }): ProblemRow => ({
      kind: "configuration",
      source: "configuration",
      message,
      place: where,
      severity: "warning",
    }));
  return executor.redact([...ofSources, ...ofConfiguration]);
}

function toRow(
  { source, subject, message, pointer, severity = "error" }: RegistryProblem,
  isSource: boolean,
): ProblemRow {
  const place = [...(subject === source ? [] : [subject]), ...(pointer ? [pointer] : [])].join(" ");
  return {
    kind: isSource ? "source" : "tool",
    source,
    message,
    ...(place === "" ? {} : { place }),
    ...(!isSource && isToolName(subject) ? { tool: subject } : {}),
    severity,
  };
}
