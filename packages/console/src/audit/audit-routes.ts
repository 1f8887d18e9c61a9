import type { JsonValue, ToolExecutor } from "@toolweave/core";
import type { AuditEntry, AuditReader } from "@toolweave/core/stores";
import { ToolError } from "@toolweave/core";
import { defaultLimit, maxLimit, readLimit } from "../http/paging.ts";
import { Problem } from "../http/problem.ts";
import { unavailableProblem } from "../http/unavailable-problem.ts";
import type { ApiPart } from "../openapi/route.ts";
import {
  milliseconds,
  pageOperation,
  pageSchema,
  queryParameter,
  text,
} from "../openapi/schema-parts.ts";

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
  /** The id of the caller. */
  readonly caller?: string;
  /** The agent that acts for the caller. */
  readonly agent?: string;
  /** The person who approved or rejected. */
  readonly by?: string;
  readonly rule?: string;
  /** The reason of the decision. */
  readonly reason?: string;
  /** The program through which the call or the answer came. */
  readonly from?: string;
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
      caller: text("The id of the caller."),
      agent: text("The agent that acts for the caller."),
      by: text("The person who approved or rejected."),
      rule: text("The policy and the rule that decided."),
      reason: text("The reason of the decision."),
      from: text("The program through which the call or the answer came."),
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
          ...pageOperation("AuditList", [
            queryParameter(
              "who",
              "Only decisions for the caller with this id, and answers of the person with this name.",
              { type: "string" },
            ),
          ]),
        },
        handle: ({ query }) => {
          if (audit === undefined) throw unavailableProblem("audit", "audit");
          return listAudit(executor, audit, query);
        },
      },
    ],
  };
}

/** Records that are read for one page at most: a filter that few of them pass continues on the next page. */
const maxRead = 10_000;
const readAtOnce = 500;

async function listAudit(
  executor: ToolExecutor,
  audit: AuditReader,
  query: URLSearchParams,
): Promise<AuditList> {
  const limit = readLimit(query.get("limit"), maxLimit, defaultLimit);
  const who = query.get("who") ?? "";
  const found: AuditEntry[] = [];
  let before = query.get("cursor") ?? undefined;
  let isOver = false;
  for (let read = 0; found.length <= limit && read < maxRead && !isOver;) {
    const count = who === "" ? limit + 1 : readAtOnce;
    const entries = await readEntries(audit, count, before);
    found.push(...entries.filter((entry) => who === "" || isBy(entry, who)));
    before = entries.at(-1)?.position ?? before;
    read += entries.length;
    isOver = entries.length < count;
  }
  const page = found.slice(0, limit);
  const next = found.length > limit ? page.at(-1)?.position : isOver ? undefined : before;
  return {
    items: executor.redact(page.map(toRow)),
    ...(next === undefined ? {} : { nextCursor: next }),
  };
}

/** True for a decision of this caller, or of a person of this name. */
function isBy({ record: { caller, by } }: AuditEntry, who: string): boolean {
  return caller?.id === who || by === who;
}

async function readEntries(
  audit: AuditReader,
  limit: number,
  before: string | undefined,
): Promise<readonly AuditEntry[]> {
  try {
    return await audit.read({ limit, ...(before === undefined ? {} : { before }) });
  } catch (error) {
    if (before === undefined || !ToolError.is(error) || error.code !== "invalid_configuration") {
      throw error;
    }
    throw new Problem("invalid_query", "cursor must be the nextCursor of an earlier page.");
  }
}

function toRow({ seq, record }: AuditEntry): AuditRow {
  const { time, tool, callId, runId, caller, by, rule, reason, from, decision, argumentsHash } =
    record;
  const optional = { caller: caller?.id, agent: caller?.agent, by, rule, reason, from };
  return {
    ...{ seq, time, type: "decision" as const, tool, callId, runId, decision },
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    ...(argumentsHash === "" ? {} : { hash: argumentsHash }),
    entry: record as unknown as JsonValue,
  };
}
