import type { Caller, PolicyEffect, ToolExecutor, Toolset } from "@toolweave/core";
import { canonicalJson, compareNames, type RegisteredTool } from "@toolweave/core/adapter";
import { defaultLimit, readLimit } from "../http/paging.ts";
import { Problem } from "../http/problem.ts";

/** A tool in a list. */
export interface ToolRow {
  readonly name: string;
  readonly title?: string;
  /** The first line of the description. */
  readonly line: string;
  /** The id of its source. */
  readonly source: string;
  /** The decision about the tool. Rules may depend on the arguments of a call. */
  readonly effect: PolicyEffect;
  /** The access that the tool claims to need. Absent: it claims nothing. */
  readonly access?: "read" | "write" | "destructive";
  /** The reason why the tool cannot be called now. */
  readonly unavailable?: string;
}

/** A page of tools, in order of name. */
export interface ToolList {
  readonly items: readonly ToolRow[];
  /** The `cursor` of the next page. */
  readonly nextCursor?: string;
  /** The version of the registry. */
  readonly version: number;
  /** The number of tools that match, on all pages. */
  readonly total: number;
}

const effects: readonly string[] = ["allow", "ask", "deny"] satisfies PolicyEffect[];
/** Enough for all tools: a page reads them at once, and filters by itself. */
export const maxToolLimit = 50_000;
/** Characters of a line. */
const maxLineLength = 200;
/** Callers whose rows are cached. */
const maxCallers = 16;

interface CachedRows {
  readonly toolset: Toolset;
  readonly secrets: number;
  readonly tag: string;
  readonly rows: readonly ToolRow[];
  /** Responses by query. */
  readonly bodies: Map<string, string>;
}

/** The rows of all tools, created once for each caller and each version of the registry. */
export class ToolRows {
  readonly #executor: ToolExecutor;
  readonly #cached = new Map<string, Promise<CachedRows>>();
  /** Distinguishes the tags of this process from those of others. */
  readonly #instance = crypto.randomUUID().slice(0, 8);
  #created = 0;

  constructor(executor: ToolExecutor) {
    this.#executor = executor;
  }

  /**
   * Answers a request for a page.
   *
   * @param caller rules of the policy may depend on it.
   * @throws Problem for an invalid query.
   */
  async respond(request: Request, query: URLSearchParams, caller: Caller): Promise<Response> {
    const { rows, tag, toolset, bodies } = await this.#read(caller);
    const headers = { etag: tag };
    if (isMatch(request.headers.get("if-none-match"), tag)) {
      return new Response(null, { status: 304, headers });
    }
    const key = query.toString();
    let body = bodies.get(key);
    if (body === undefined) {
      body = JSON.stringify(selectPage(rows, query, toolset.version));
      // Others are made of the rows in little time.
      if (key.length <= 100 && bodies.size < 4) bodies.set(key, body);
    }
    return new Response(body, { headers: { ...headers, "content-type": "application/json" } });
  }

  async #read(caller: Caller): Promise<CachedRows> {
    const toolset = this.#executor.registry.toolset();
    const secrets = countSecretChanges(this.#executor);
    const key = canonicalJson(caller);
    const cached = await this.#cached.get(key)?.catch(() => undefined);
    if (cached?.toolset === toolset && cached.secrets === secrets) return cached;
    const created = this.#create(toolset, secrets, caller);
    this.#cached.delete(key);
    this.#cached.set(key, created);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > maxCallers) this.#cached.delete(oldest as string);
    return created;
  }

  async #create(toolset: Toolset, secrets: number, caller: Caller): Promise<CachedRows> {
    const rows: ToolRow[] = [];
    for (const entry of toolset.entries()) {
      const { name } = entry.tool.spec;
      const effect = this.#executor.decideByTool(name) ?? (await this.#explain(name, caller));
      rows.push(toRow(entry, effect));
    }
    const texts = rows.flatMap((row) => Object.values(row));
    // All at once: of thousands of rows hardly any contains a secret.
    const isClean = this.#executor.redact(texts.join("\n")) === texts.join("\n");
    this.#created += 1;
    const tag = `"${this.#instance}.${toolset.version}.${this.#created}"`;
    return {
      toolset,
      secrets,
      tag,
      rows: isClean ? rows : this.#executor.redact(rows),
      bodies: new Map(),
    };
  }

  async #explain(name: string, caller: Caller): Promise<PolicyEffect> {
    return (await this.#executor.explain({ name }, { caller })).effect;
  }
}

function toRow({ tool, source }: RegisteredTool, effect: PolicyEffect): ToolRow {
  const { name, title, description, annotations } = tool.spec;
  const { availability } = tool;
  const access = getAccess(annotations);
  return {
    name,
    ...(title === undefined ? {} : { title }),
    line: toLine(description),
    source,
    effect,
    ...(access === undefined ? {} : { access }),
    ...(availability?.status === "unavailable" ? { unavailable: availability.reason } : {}),
  };
}

/** Grows when a secret is added: rows that were created before may contain it. */
function countSecretChanges({ secrets, registry }: ToolExecutor): number {
  return [secrets, ...registry.secrets].reduce((sum, { version }) => sum + version, 0);
}

function isMatch(header: string | null, tag: string): boolean {
  return header !== null && header.split(",").some((one) => one.trim().replace(/^W\//, "") === tag);
}

function getAccess({
  readOnlyHint,
  destructiveHint,
}: RegisteredTool["tool"]["spec"]["annotations"]): ToolRow["access"] {
  if (destructiveHint === true) return "destructive";
  if (readOnlyHint === true) return "read";
  return readOnlyHint === false || destructiveHint === false ? "write" : undefined;
}

/** The first line of a description. */
export function toLine(description: string): string {
  const [first = ""] = description
    .slice(0, 10 * maxLineLength)
    .trimStart()
    .split(/[\r\n]/, 1);
  const line = first.trimEnd();
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength - 1)}…`;
}

function selectPage(rows: readonly ToolRow[], query: URLSearchParams, version: number): ToolList {
  const limit = readLimit(query.get("limit"), maxToolLimit, defaultLimit);
  const words = query.get("query")?.toLowerCase() ?? "";
  const [source, effect] = [query.get("source"), query.get("effect")];
  if (effect !== null && !effects.includes(effect)) {
    throw new Problem("invalid_query", `effect must be ${effects.join(", ")}.`);
  }
  const matching = rows.filter(
    (row) =>
      (source === null || row.source === source) &&
      (effect === null || row.effect === effect) &&
      (words === "" || contains(row, words)),
  );
  const after = readCursor(query.get("cursor"));
  const remaining =
    after === undefined ? matching : matching.filter(({ name }) => compareNames(name, after) > 0);
  const items = remaining.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    ...(last === undefined || remaining.length <= limit ? {} : { nextCursor: toCursor(last.name) }),
    version,
    total: matching.length,
  };
}

function contains({ name, title, line }: ToolRow, words: string): boolean {
  return [name, title, line].some((text) => text?.toLowerCase().includes(words) === true);
}

function toCursor(name: string): string {
  return Buffer.from(name).toString("base64url");
}

function readCursor(text: string | null): string | undefined {
  if (text === null) return undefined;
  if (/^[\w-]{1,200}$/.test(text)) return Buffer.from(text, "base64url").toString();
  throw new Problem("invalid_query", "cursor must be the nextCursor of an earlier page.");
}
