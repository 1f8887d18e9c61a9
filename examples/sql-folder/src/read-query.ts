import type { JsonObject } from "@toolweave/core";

/** The content of a file of SQL. */
export interface SqlQuery {
  /** From the header; if absent, the file's name is used. */
  readonly name?: string;
  readonly description: string;
  /** A JSON Schema of the parameters. */
  readonly inputSchema: JsonObject;
  /** Their names. */
  readonly parameters: readonly string[];
  /** Runs on a read-only connection. */
  readonly readOnly: boolean;
  readonly sql: string;
}

// A 64-bit integer of SQLite that JSON represents without loss.
const integer: JsonObject = {
  type: "integer",
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};

const types: Readonly<Record<string, JsonObject>> = {
  text: { type: "string" },
  integer,
  number: { type: "number" },
  boolean: { type: "boolean" },
};

const headerLine = /^--\s*(name|description|read-only|parameter\s+(\w+))\s*:\s*(.*)$/;

/**
 * Reads a file: a header of comments, then one statement. Lines of the header are `-- name: …`, `--
 * description: …`, `-- parameter limit: integer?, how many at most` and `-- read-only: yes`.
 *
 * @throws Error with a correction.
 */
export function readQuery(text: string): SqlQuery {
  const fields = new Map<string, string>();
  const properties: Record<string, JsonObject> = {};
  const required: string[] = [];
  const lines = text.split(/\r?\n/);
  const end = lines.findIndex((line) => !line.startsWith("--"));
  for (const line of lines.slice(0, end === -1 ? undefined : end)) {
    const [, field = "", parameter, value = ""] = headerLine.exec(line) ?? [];
    if (parameter === undefined) {
      fields.set(field, value.trim());
      continue;
    }
    const [, type = "", optional, about] = /^(\w+)(\?)?(?:,\s*(.+))?$/.exec(value.trim()) ?? [];
    if (!Object.hasOwn(types, type)) {
      throw new Error(
        `Parameter ${parameter} needs a type: ${Object.keys(types).join(", ")}, with ? when it may be left out.`,
      );
    }
    properties[parameter] = {
      ...types[type],
      ...(about === undefined ? {} : { description: about }),
    };
    if (optional === undefined) required.push(parameter);
  }
  const description = fields.get("description");
  if (!description) throw new Error("Begin the file with -- description: and what it does.");
  const sql = lines
    .slice(end === -1 ? lines.length : end)
    .join("\n")
    .trim();
  const parameters = Object.keys(properties);
  checkStatement(sql, parameters);
  const name = fields.get("name");
  return {
    ...(name === undefined ? {} : { name }),
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    parameters,
    readOnly: fields.get("read-only") === "yes",
    sql,
  };
}

// SQLite runs the first statement and ignores the rest; a parameter without a value is null.
function checkStatement(sql: string, declared: readonly string[]): void {
  const code = sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"/g, " ");
  if (!/^[^;]*\w[^;]*;?\s*$/.test(code)) throw new Error("A file holds one statement.");
  const used = [...code.matchAll(/[:@$](\w+)/g)].map(([, name = ""]) => name);
  const unknown = used.find((name) => !declared.includes(name));
  if (unknown !== undefined) throw new Error(`Declare it: -- parameter ${unknown}: text, …`);
  const unused = declared.find((name) => !used.includes(name));
  if (unused !== undefined) throw new Error(`The statement has no :${unused}.`);
}
