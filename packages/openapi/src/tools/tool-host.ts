import type { SourceProblem } from "@toolweave/core";
import type { HostNames } from "../parameters/reserved-names.ts";
import type { SchemaBudget } from "../model-schema/schema-budget.ts";
import type { OpenApiAuth } from "../auth/openapi-auth.ts";
import type { PageCollection } from "../exchange/follow-ups/collect-pages.ts";
import type { FindLinked } from "../exchange/follow-ups/linked-calls.ts";
import type { OperationCaller } from "../exchange/operation-caller.ts";
import type { OperationTool } from "./operation-tool.ts";

/** What the tools of one source share. */
export interface ToolHost {
  readonly sourceId: string;
  readonly prefix: string | undefined;
  readonly timeoutMs: number | undefined;
  /** How much a model is shown of each. */
  readonly schemaBudget: SchemaBudget;
  readonly auth: OpenApiAuth;
  /** Headers of the host's own, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly names: HostNames;
  readonly baseUrl: URL | undefined;
  readonly documentUrl: string | undefined;
  /** The server that the host wants in place of one of the document. */
  replaced(server: string): string | URL | undefined;
  /** Absent: one call reads one page. */
  readonly collectPages?: PageCollection | undefined;
  /** The tool that a Link Object leads to. */
  linked: FindLinked;
  /** Differs between two loads. */
  readonly generation: string;
  /** Why credentials must not go to an origin; the end of a sentence. */
  withheld(origin: string): string | undefined;
  /** A restriction that was found when the operation was first needed. */
  warn(problem: SourceProblem): void;
  /** The operation cannot be a tool after all. Without `problem` the document has named it already. */
  drop(tool: OperationTool, problem: SourceProblem | undefined): void;
  /** Rejects with `ToolError` `unavailable` once the source is closed. */
  caller(): Promise<OperationCaller>;
}
