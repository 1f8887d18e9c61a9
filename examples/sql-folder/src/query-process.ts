// Runs queries for its parent process. SQLite runs one query until it is done, in native code that
// neither a signal nor the end of a worker thread stops: only a process can be ended.
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from "node:sqlite";

import type { JsonObject, JsonValue } from "@toolweave/core";

/** A request to the process. */
export interface QueryRequest {
  readonly sql: string;
  readonly parameters: JsonObject;
  readonly readOnly: boolean;
}

/** Its answer: rows, the number of changes, or SQLite's error, with its result code. */
export type QueryAnswer =
  | { readonly rows: readonly JsonObject[] }
  | { readonly changes: number }
  | { readonly error: string; readonly errorCode: number };

const [, , path = ""] = process.argv;
// A read-only connection cannot undo the unfinished work of an ended process.
const readOnlyRollback = 776;
const connections = new Map<boolean, DatabaseSync>();

process.on("message", (request: QueryRequest) => process.send?.(answerTo(request)));

function answerTo(request: QueryRequest): QueryAnswer {
  const { sql, parameters, readOnly } = request;
  try {
    const statement = connectionFor(readOnly).prepare(sql);
    statement.setReadBigInts(true);
    const bound = Object.entries(parameters).map(([name, value]) => [name, bindable(value)]);
    const values = Object.fromEntries(bound) as Record<string, SQLInputValue>;
    if (statement.columns().length === 0) {
      return { changes: Number(statement.run(values).changes) };
    }
    const rows = statement.all(values).map((row) => {
      const columns = Object.entries(row).map(([name, value]) => [name, toJson(value)]);
      return Object.fromEntries(columns) as JsonObject;
    });
    return { rows };
  } catch (error) {
    const { message, errcode = 0 } = error as Error & { errcode?: number };
    if (errcode === readOnlyRollback) {
      connectionFor(false).exec("select count(*) from sqlite_schema");
      return answerTo(request);
    }
    return { error: message, errorCode: errcode & 0xff };
  }
}

/** Read-only queries use a connection that SQLite itself prevents from writing. */
function connectionFor(readOnly: boolean): DatabaseSync {
  let connection = connections.get(readOnly);
  if (connection === undefined) {
    connection = new DatabaseSync(path, { readOnly });
    connections.set(readOnly, connection);
  }
  return connection;
}

function bindable(value: JsonValue): SQLInputValue {
  if (typeof value === "boolean") return value ? 1n : 0n;
  return Number.isSafeInteger(value) ? BigInt(value as number) : (value as SQLInputValue);
}

/** Integers that a number cannot represent are text, bytes are base64, and infinity has no JSON. */
function toJson(value: SQLOutputValue): JsonValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (typeof value === "bigint" && Number.isSafeInteger(Number(value))) return Number(value);
  return typeof value === "bigint" || value === Infinity || value === -Infinity
    ? String(value)
    : value;
}
