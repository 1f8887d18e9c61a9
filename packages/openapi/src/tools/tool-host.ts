import type { Tool } from "@toolweave/core";
import type { SourceProblem } from "@toolweave/core/adapter";
import type { HostNames } from "../parameters/reserved-names.ts";
import type { SchemaBudget } from "../model-schema/schema-budget.ts";
import type { OpenApiAuth } from "../auth/openapi-auth.ts";
import type { PageCollection } from "../exchange/follow-ups/collect-pages.ts";
import type { FindLinked } from "../exchange/follow-ups/linked-calls.ts";
import type { OperationCaller } from "../exchange/operation-caller.ts";

/** The data and functions that the tools of one source share. */
export interface ToolHost {
  readonly sourceId: string;
  readonly prefix: string | undefined;
  readonly timeoutMs: number | undefined;
  /** The maximum sizes of the parts that a model sees. */
  readonly schemaBudget: SchemaBudget;
  readonly auth: OpenApiAuth;
  /** The host's own headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly names: HostNames;
  readonly baseUrl: URL | undefined;
  readonly documentUrl: string | undefined;
  /** Returns the server that the host configured in place of one of the document. */
  replaced(server: string): string | URL | undefined;
  /** Absent: one call reads one page. */
  readonly collectPages?: PageCollection | undefined;
  /** Returns the tool to which a Link Object leads. */
  linked: FindLinked;
  /** Differs between two loads. */
  readonly generation: string;
  /** Returns the reason for which credentials must not be sent to an origin; the end of a sentence. */
  withheld(origin: string): string | undefined;
  /** Reports a restriction that was found when the operation was first needed. */
  warn(problem: SourceProblem): void;
  /** Removes an operation that cannot be a tool after all. Without `problem`, the document has already reported it. */
  drop(tool: Tool, problem: SourceProblem | undefined): void;
  /** Rejects with `ToolError` `unavailable` once the source is closed. */
  caller(): Promise<OperationCaller>;
}
