import type { JsonObject, JsonSchema, Metadata } from "../json/json.ts";

/**
 * The handling of an output over the limit: it is stored as an artifact, of which the model receives a preview and can
 * read the rest (`store`); its beginning is given (`clip`); or the call fails with `limit_exceeded` (`fail`).
 */
export type OverflowStrategy = "store" | "clip" | "fail";

/**
 * The effects of a tool. Absent fields take MCP's defaults one by one: not read-only, destructive, not idempotent, open
 * world. Hints are claims: they loosen a decision only when they come from a trusted source, and tighten it from
 * anywhere.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
 */
export interface ToolAnnotations {
  /** A title for people. `ToolSpec.title` wins when both are there. */
  readonly title?: string;
  /** The tool changes nothing. Default: false. */
  readonly readOnlyHint?: boolean;
  /** The tool may destroy something. Default: true. */
  readonly destructiveHint?: boolean;
  /** Calling it again with the same arguments changes nothing more. Default: false. */
  readonly idempotentHint?: boolean;
  /** The tool talks to something outside the host. Default: true. */
  readonly openWorldHint?: boolean;
  /**
   * Calls need approval. Of a trusted tool only a rule that names the hint and allows lets calls run without it, whatever
   * the preset is. Default: false.
   */
  readonly needsApprovalHint?: boolean;
  /** The tool sends updates while it runs. Default: false. */
  readonly streamingHint?: boolean;
  /** The resources that the tool accesses. Absent: unknown. */
  readonly access?: ToolAccess;
  /** The rules by which its results are redacted. */
  readonly redact?: readonly RedactionRule[];
}

/** The resources that a tool accesses. */
export interface ToolAccess {
  readonly filesystem?: "none" | "read" | "write";
  readonly process?: boolean;
  readonly network?: boolean;
  readonly spend?: boolean;
  readonly workspaceRoot?: string;
}

/** A part of a tool's output that never leaves the executor. */
export interface RedactionRule {
  /** A JSON path into the structured value, such as `$.account.token`. */
  readonly path: string;
}

/** A value that the host supplies by name. It is removed from a model's arguments. */
export interface InjectedParameter {
  readonly name: string;
  readonly description?: string;
  /**
   * Without this value the call fails before it starts, with `invalid_configuration`. `false`: the tool runs without it,
   * too. Default: true.
   */
  readonly required?: boolean;
  /** Only the tool receives it: `preflight`, whose texts are displayed to people, does not. Default: false. */
  readonly secret?: boolean;
}

/**
 * When a failed attempt is made again: only when its error is retryable, and the tool is idempotent or read-only by the
 * word of a trusted source. Times are milliseconds. When the error asks for a longer wait (`retryAfterMs`), the wait is
 * that long, up to 120,000; when it asks for more, or for more than remains until the call's deadline, the call fails
 * with `rate_limited` at once.
 */
export interface RetryPolicy {
  /** Attempts in all, the first one included: a whole number above 0. */
  readonly attempts: number;
  /**
   * The maximum wait before the second attempt; it doubles with each one. Up to half of a wait is subtracted, at
   * random. Default: 200.
   */
  readonly initialDelayMs?: number;
  /** Beyond this no wait grows. Default: 30,000. */
  readonly maxDelayMs?: number;
  /** Retry although the tool is not idempotent. Default: false. */
  readonly retryNonIdempotent?: boolean;
}

/** The maximum output of a tool for a model. */
export interface OutputLimit {
  /** Bytes, in UTF-8. More than the executor's `maxOutputBytes` only by the word of a trusted source. */
  readonly maxBytes?: number;
  /** Absent: the executor's default. */
  readonly onOverflow?: OverflowStrategy;
}

/** Where a tool came from and what it was there. */
export interface Provenance {
  /** The adapter that made it: `code`, `openapi`, `mcp`, … */
  readonly adapter: string;
  /** The source's id, such as a document's URL or an MCP server's name. */
  readonly source?: string;
  /**
   * The tool's origin in its source: `{operationId, method, path}` of an operation, `{tool}` of an MCP server.
   * `program` and `place` are digests of the program that the source runs: another program has another spec hash, so
   * that approvals and grants no longer apply to it.
   */
  readonly origin?: JsonObject;
}

/**
 * The description of a tool: what a model sees and what a host needs to govern it. Plain JSON data
 * that can be serialised, compared, searched and stored. Schemas may be memoised getters.
 */
export interface ToolSpec {
  /** `^[A-Za-z_][A-Za-z0-9_-]{0,63}$`. */
  readonly name: string;
  /** A title for people. */
  readonly title?: string;
  /** The description of the tool for the model. */
  readonly description: string;
  /**
   * An object schema, 2020-12, self-contained, with only what the model may choose. It may show less than
   * arguments are validated against (`Tool.argumentsSchema`).
   */
  readonly inputSchema: JsonSchema;
  /** The schema of the result's `value`. */
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
  /** Values that the host supplies; never in `inputSchema`. */
  readonly injected?: readonly InjectedParameter[];
  /** Milliseconds for one attempt. 0: none. Absent: the executor's default. */
  readonly timeoutMs?: number;
  /** Absent: the executor's default. Not read when the source is not trusted. */
  readonly retry?: RetryPolicy;
  /**
   * `app`: only user interfaces of a host call the tool (MCP Apps). No model is given it or can call it; a run with
   * `toolset: registry.toolset()` can. Default: for models, too.
   */
  readonly visibility?: "app";
  /** `task`: the call answers with a task id at once. Default: `inline`. */
  readonly execution?: "inline" | "task";
  /** Absent: the executor's. */
  readonly outputLimit?: OutputLimit;
  readonly provenance: Provenance;
  /** Stored for the host, never given to a model. */
  readonly metadata?: Metadata;
}
