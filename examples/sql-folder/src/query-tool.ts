import { basename } from "node:path";

import { ToolError, type JsonValue, type Tool } from "@toolweave/core";

import type { QueryAnswer } from "./query-process.ts";
import type { QueryProcesses } from "./query-processes.ts";
import type { SqlQuery } from "./read-query.ts";

/** The shared parts of all tools of a source. */
export interface QueryHost {
  /** The source's id. */
  readonly source: string;
  /** The absolute path of the SQLite file. */
  readonly database: string;
  readonly processes: QueryProcesses;
}

/** The parts that define a tool's identity. */
export interface NamedQuery {
  readonly name: string;
  readonly file: string;
  readonly fingerprint: string;
  readonly query: SqlQuery;
}

/** A query as a tool. A query that writes proposes a permission first. */
export function queryTool(named: NamedQuery, host: QueryHost): Tool {
  const { name, file, fingerprint, query } = named;
  const { description, inputSchema, parameters, readOnly, sql } = query;
  const { source, database, processes } = host;
  const summary = `Change ${basename(database)} with ${file}`;
  return {
    spec: {
      name,
      description,
      inputSchema,
      annotations: {
        readOnlyHint: readOnly,
        openWorldHint: false,
        access: { filesystem: readOnly ? "read" : "write", process: false, network: false },
      },
      provenance: { adapter: "sql", source, origin: { file } },
    },
    fingerprint,
    preflight: () => (readOnly ? [] : [{ kind: "fs.write", target: database, summary }]),
    invoke: async (args, { signal }) => {
      const values = parameters.map((key) => [key, args[key] ?? null] as const);
      const request = { sql, parameters: Object.fromEntries(values), readOnly };
      return toOutput(name, await processes.run(request, signal));
    },
  };
}

const busy = 5;
const cannotOpen = 14;
const constraint = 19;

function toOutput(name: string, answer: QueryAnswer): JsonValue {
  if ("rows" in answer) return answer.rows;
  if ("changes" in answer) return { changes: answer.changes };
  const { error, errorCode } = answer;
  if (errorCode === busy || errorCode === cannotOpen) {
    throw new ToolError("unavailable", `The database does not answer: ${error}. Call again later.`);
  }
  if (errorCode === constraint) {
    const message = `The database refuses these arguments, and nothing was changed: ${error}.`;
    throw new ToolError("invalid_arguments", message);
  }
  throw new ToolError("execution_failed", `${name} cannot be run: ${error}.`);
}
