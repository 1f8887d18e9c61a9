import { existsSync } from "node:fs";
import { basename, dirname, extname, relative, resolve } from "node:path";
import type { JsonObject, JsonValue } from "@toolweave/core";
import { parseHeaders } from "../../input/api-options.ts";
import { parseAuth } from "../../input/auth-option.ts";
import { splitCommand } from "../../input/split-command.ts";
import { UsageError } from "../../process/exit-code.ts";
import { serverName } from "../../sources/mcp-server.ts";
import { findProgram } from "../shared/find-program.ts";

/** A source as a configuration has it. */
export interface NewSource {
  readonly block: "mcpServers" | "openapi" | "tools";
  /** Empty for a module, which has no name of its own. */
  readonly name: string;
  readonly value: JsonValue;
}

/** Where a source is, before its kind is known. */
export type SourcePlace =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "document"; readonly file: string }
  | { readonly kind: "module"; readonly file: string }
  | ProgramPlace;

/** A program, or a package of npm that `npx` runs. */
interface ProgramPlace {
  readonly kind: "program";
  readonly command: string;
  readonly args: readonly string[];
  /** The word may be a mistyped program: any package with this name would run. */
  readonly assumedPackage?: string;
}

/** The kinds that `--kind` names. */
export type SourceKind = "openapi" | "mcp";

/** A package of the npm registry, with an optional version. */
const packageName = /^(?:@[\w.-]+\/)?[A-Za-z0-9][\w.-]*(?:@[\w.~^-]+)?$/;

/**
 * Tells a URL, a document, a module, a command and a package of npm apart.
 *
 * @param words as they stand on the command line; one word with spaces is a command line.
 * @param folder of the configuration, to which its paths are relative.
 * @throws UsageError
 */
export function parseSourcePlace(
  words: readonly string[],
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): SourcePlace {
  const [first = "", ...args] =
    words.length === 1 ? splitCommand(words[0] ?? "", "The source") : words;
  if (/^https?:\/\//i.test(first)) {
    const url = URL.parse(first);
    if (url === null || url.username !== "" || url.password !== "" || args.length > 0) {
      throw new UsageError(
        "A URL must be absolute, without user name, and stand alone. Credentials: --auth 'bearer:$NAME'.",
      );
    }
    return { kind: "url", url: first };
  }
  const extension = extname(first).toLowerCase();
  const isDocument = /^\.(?:json|ya?ml)$/.test(extension);
  const isModule = /^\.[cm]?[jt]s$/.test(extension);
  if (args.length === 0 && (isDocument || isModule)) {
    if (!existsSync(resolve(first))) {
      throw new UsageError(`There is no file ${JSON.stringify(first)}.`);
    }
    const path = relative(folder, resolve(first)).replaceAll("\\", "/");
    const file = path.startsWith("../") ? path : `./${path}`;
    return { kind: isDocument ? "document" : "module", file };
  }
  const isProgram = /[/\\]/.test(first) && !first.startsWith("@");
  if (isProgram || findProgram(first, env) !== undefined) {
    return { kind: "program", command: first, args };
  }
  if (packageName.test(first)) {
    const place = { kind: "program", command: "npx", args: ["-y", first, ...args] } as const;
    // A scope or a version is that of a package.
    return first.includes("@") ? place : { ...place, assumedPackage: first };
  }
  throw new UsageError(
    `${JSON.stringify(first.slice(0, 80))} is no URL, file, program or npm package.`,
  );
}

/** How the source gets its credentials: names of environment variables, never values. */
export interface SourceCredentials {
  /** As `--auth` of other commands, with `$NAME` in place of every secret. */
  readonly auth: readonly string[];
  /** Variables that are passed to a program. */
  readonly env: readonly string[];
  /** As `--header` of other commands: `Name: value`. */
  readonly headers: readonly string[];
}

/**
 * The entries that a place can stand for, the most likely first: what answers at a URL is known when it is loaded.
 *
 * @throws UsageError for credentials that do not apply.
 */
export function toSources(
  place: SourcePlace,
  name: string,
  credentials: SourceCredentials,
  kind: SourceKind | undefined,
): readonly [NewSource, ...NewSource[]] {
  const { auth, env, headers } = credentials;
  if (env.length > 0 && place.kind !== "program") {
    throw new UsageError("--env is for programs. Other sources: --auth 'bearer:$NAME'.");
  }
  if (headers.length > 0 && place.kind !== "url" && place.kind !== "document") {
    throw new UsageError("--header is for URLs and documents. Programs: --env NAME.");
  }
  switch (place.kind) {
    case "program": {
      if (auth.length > 0)
        throw new UsageError("--auth is for URLs and documents. Programs: --env NAME.");
      if (kind === "openapi") throw new UsageError("--kind openapi is for URLs and files.");
      const { command, args } = place;
      const value = { command, args, ...(env.length === 0 ? {} : { env: toEnv(env) }) };
      return [{ block: "mcpServers", name, value }];
    }
    case "module":
      if (auth.length > 0) throw new UsageError("--auth is for URLs and documents.");
      return [{ block: "tools", name: "", value: place.file }];
    case "document":
      return [
        {
          block: "openapi",
          name,
          value: { file: place.file, ...documentAuth(auth), ...toHeaders({}, headers) },
        },
      ];
    case "url": {
      const { url } = place;
      const document = (): NewSource => ({
        block: "openapi",
        name,
        value: { url, ...documentAuth(auth), ...toHeaders({}, headers) },
      });
      const server = (): NewSource => ({
        block: "mcpServers",
        name,
        value: { url, ...toHeaders(serverHeaders(auth), headers) },
      });
      if (kind === "openapi") return [document()];
      if (kind === "mcp") return [server()];
      const { pathname } = new URL(url);
      if (/\.(?:json|ya?ml)$|openapi|swagger|api-docs/i.test(pathname)) return [document()];
      return /\/(?:mcp|sse)\/?$/i.test(pathname) ? [server()] : [document(), server()];
    }
  }
}

function toEnv(names: readonly string[]): JsonObject {
  for (const name of names) {
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      throw new UsageError("--env must be the name of an environment variable, without a value.");
    }
  }
  return Object.fromEntries(names.map((name) => [name, `\${${name}}`]));
}

/** In place of every value its reference, so that a file never contains a secret. */
const references: Readonly<Record<string, string>> = new Proxy(
  {},
  { get: (_, name) => `\${${String(name)}}` },
);

function documentAuth(written: readonly string[]): JsonObject {
  if (written.length === 0) return {};
  const { auth, secrets } = parseAuth(written, references);
  assertReferences(auth.basic === undefined ? secrets : [auth.basic.username, auth.basic.password]);
  return { auth: auth as unknown as JsonObject };
}

function serverHeaders(written: readonly string[]): JsonObject {
  if (written.length === 0) return {};
  const { auth, secrets } = parseAuth(written, references);
  assertReferences(secrets);
  if (typeof auth.bearer !== "string" || Object.keys(auth).length > 1) {
    throw new UsageError("--auth of an MCP server must be bearer:$NAME.");
  }
  return { Authorization: `Bearer ${auth.bearer}` };
}

/** Headers whose values are secrets, which a file must not contain. */
const secretHeader = /auth|key|token|secret|cookie|password|session/i;

/** The option `headers` of a source; without headers, nothing. */
function toHeaders(before: JsonObject, written: readonly string[]): JsonObject {
  const headers = { ...before, ...parseHeaders(written, references) };
  for (const [name, value] of Object.entries(headers)) {
    if (!secretHeader.test(name) || String(value).includes("${")) continue;
    // The value is not repeated: it may be a secret.
    throw new UsageError(
      `--header ${name} must name an environment variable in place of the secret, in single quotes: '${name}: $NAME'.`,
    );
  }
  return Object.keys(headers).length === 0 ? {} : { headers };
}

function assertReferences(values: readonly string[]): void {
  if (values.every((value) => /^\$\{\w+\}$/.test(value))) return;
  // The value is not repeated: it may be a secret.
  throw new UsageError(
    "--auth must name an environment variable in place of the secret, in single quotes: 'bearer:$NAME'.",
  );
}

/** A short name for a source: `memory` for `@modelcontextprotocol/server-memory`. */
export function defaultName(place: SourcePlace): string {
  const cleaned = rawName(place)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  const short = cleaned.replace(/^(?:mcp-server-|server-|mcp-)|(?:-mcp-server|-mcp|-server)$/g, "");
  return short.slice(0, 30) || "tools";
}

function rawName(place: SourcePlace): string {
  switch (place.kind) {
    case "url": {
      const { hostname } = new URL(place.url);
      if (/^[\d.]+$|^\[|^localhost$/.test(hostname)) return "local";
      const parts = hostname.split(".").slice(0, -1);
      return parts.filter((part) => !/^(?:www|api|mcp)\d*$/.test(part)).at(-1) ?? hostname;
    }
    case "document":
    case "module": {
      const name = basename(place.file, extname(place.file));
      return /^(?:openapi|swagger|index)$/i.test(name)
        ? basename(dirname(resolve(place.file)))
        : name;
    }
    case "program": {
      const written = serverName(
        place.command,
        place.args.filter((arg) => arg !== "run"),
      );
      return basename(written.replace(/(?!^)@.*$/, "")).replace(/\.\w+$/, "");
    }
  }
}
