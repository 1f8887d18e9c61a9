import type { JsonValue, ToolExecutor } from "@toolweave/core";
import type { AuditEntry, AuditReader } from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";
import { defaultLimit, maxLimit, readLimit } from "../http/paging.ts";
import { Problem } from "../http/problem.ts";
import { unavailableProblem } from "../http/unavailable-problem.ts";
import type { ApiPart } from "../openapi/route.ts";
import { milliseconds, pageOperation, pageSchema, text } from "../openapi/schema-parts.ts";

/** A record of the audit. */
export interface AuditRow {
  /** Grows with each record of the same audit. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly type: "decision";
  readonly tool?: string;
  readonly callId?: string;
  readonly runId?: string;
  /** The person who approved or rejected. */
  readonly by?: string;
  readonly rule?: string;
  readonly decision?: string;
  /** A keyed hash of the arguments: equal for equal arguments. */
  readonly hash?: string;
  /** The whole record. */
  readonly entry: JsonValue;
}

/** A page of records, newest first. */
export interface AuditList {
  readonly items: readonly AuditRow[];
  /** The `cursor` of the next page. */
  readonly nextCursor?: string;
}

const auditSchemas = {
  AuditList: pageSchema("AuditRow"),
  AuditRow: {
    type: "object",
    required: ["seq", "time", "type", "entry"],
    properties: {
      seq: { type: "integer", description: "Grows with each record." },
      time: milliseconds("When."),
      type: { const: "decision" },
      tool: { type: "string" },
      callId: { type: "string" },
      runId: { type: "string" },
      by: text("The person who approved or rejected."),
      rule: text("The policy and the rule that decided."),
      decision: {
        enum: ["allowed", "granted", "asked", "approved", "rejected", "denied"],
        description: "`asked`: the call waits for a person. `granted`: a grant answered.",
      },
      hash: text("A keyed hash of the arguments: equal for equal arguments."),
      entry: { type: "object", description: "The whole record." },
    },
  },
};

/** The operations on the audit. */
export function auditRoutes(executor: ToolExecutor, audit: AuditReader | undefined): ApiPart {
  return {
    tag: "audit",
    schemas: auditSchemas,
    routes: [
      {
        method: "GET",
        path: "/api/audit",
        scope: "read",
        operation: {
          operationId: "listAudit",
          summary: "List the decisions about calls",
          description: "Newest first. The audit has hashes of arguments, and no results.",
          ...pageOperation("AuditList"),
        },
        handle: ({ query }) => {
          if (audit === undefined) throw unavailableProblem("audit", "audit");
          return listAudit(executor, audit, query);
        },
      },
    ],
  };
}

async function listAudit(
  executor: ToolExecutor,
  audit: AuditReader,
  query: URLSearchParams,
): Promise<AuditList> {
  const limit = readLimit(query.get("limit"), maxLimit, defaultLimit);
  const before = query.get("cursor");
  let entries: readonly AuditEntry[];
  try {
    entries = await audit.read({ limit: limit + 1, ...(before === null ? {} : { before }) });
  } catch (error) {
    if (before === null || !ToolError.is(error) || error.code !== "invalid_configuration") {
      throw error;
    }
    throw new Problem("invalid_query", "cursor must be the nextCursor of an earlier page.");
  }
  const page = entries.slice(0, limit);
  const last = page.at(-1);
  return {
    items: executor.redact(page.map(toRow)),
    ...(last === undefined || entries.length <= limit ? {} : { nextCursor: last.position }),
  };
}

function toRow({ seq, record }: AuditEntry): AuditRow {
  const { time, tool, callId, runId, by, rule, decision, argumentsHash } = record;
  return {
    ...{ seq, time, type: "decision" as const, tool, callId, runId, decision },
    ...(by === undefined ? {} : { by }),
    ...(rule === undefined ? {} : { rule }),
    ...(argumentsHash === "" ? {} : { hash: argumentsHash }),
    entry: record as unknown as JsonValue,
  };
}
