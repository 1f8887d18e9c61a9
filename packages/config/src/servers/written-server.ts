import type { JsonObject } from "@toolweave/core";
import { findSecretArguments } from "@toolweave/mcp";
import { canonicalJson, childPointer, isDistinctive, nearNames } from "@toolweave/core/adapter";
import { resolve } from "node:path";
// Not by name: an import that Node.js 20 does not have would hide the message about its version.
import * as util from "node:util";
import type { ConfigReader, TakenValue } from "../reading/config-reader.ts";
import { decodeText, readRegularFile } from "../files/regular-file.ts";

/** The connection to a server, as `mcpSource` takes it. */
export type ServerPlace =
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** A server of one of the blocks, before its options in `mcp`. */
export interface WrittenServer {
  readonly name: string;
  readonly pointer: string;
  readonly place: ServerPlace;
  /** The text of `place` as written, with its references: see `McpServer`. */
  readonly declaration: string;
  /** Tools that other hosts' blocks choose. */
  readonly options: JsonObject;
  /** Values that came from the environment, and must not be displayed. */
  readonly secrets: readonly string[];
}

/** The block of a server, its references resolved. */
interface Block {
  readonly type?: string;
  readonly transport?: unknown;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | number | boolean>>;
  readonly envFile?: string;
  readonly cwd?: string;
  readonly url?: string;
  readonly serverUrl?: string;
  readonly httpUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: boolean;
  readonly enabled?: boolean;
  readonly disabledTools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly includeTools?: readonly string[];
  readonly tools?: readonly string[];
}

/** Reads a server; undefined: it is omitted, incomplete, or has a fault. */
export function writtenServer(
  name: string,
  written: JsonObject,
  pointer: string,
  folder: string,
  reader: ConfigReader,
): WrittenServer | undefined {
  // One that is not as it should be has been reported.
  if (reader.incomplete.has(pointer) || isLeftOut(written)) return undefined;
  const before = reader.taken.length;
  const block = reader.inSource(pointer, name, () => reader.resolved(written, pointer)) as Block;
  // A text without its value has been reported, and would only cause further errors.
  if (reader.incomplete.has(pointer)) return undefined;
  const taken = reader.taken.slice(before);
  const place = createPlace(block, pointer, folder, reader);
  if (place === undefined) return undefined;
  if ("args" in place) {
    refuseSecretArguments(place.args, taken, pointer, reader);
    warnOfWrittenSecrets(place.args, taken, pointer, reader);
  }
  const { tools, disabledTools = [], excludeTools = [] } = block;
  const includeTools = block.includeTools ?? (tools?.includes("*") === true ? undefined : tools);
  const excluded = [...disabledTools, ...excludeTools];
  return {
    name,
    pointer,
    place,
    declaration: serializeDeclaration(written),
    options: {
      ...(includeTools === undefined ? {} : { include: includeTools }),
      ...(excluded.length === 0 ? {} : { exclude: excluded }),
    },
    secrets: taken
      .filter((one) => !one.pointer.startsWith(`${pointer}/args/`))
      .map(({ value }) => value)
      .filter(isDistinctive),
  };
}

/**
 * The parts that determine which program runs or which address is reached; the names in `env` are counted by
 * `mcpSource`.
 */
function serializeDeclaration(written: JsonObject): string {
  const { command, args, cwd, envFile, url, serverUrl, httpUrl, type, transport } = written;
  const parts = { command, args, cwd, envFile, url: url ?? serverUrl ?? httpUrl, type, transport };
  return canonicalJson(
    Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)),
  );
}

/** True for a server that is not to be connected to, so that nothing has to be set for it. */
export function isLeftOut({ disabled, enabled }: JsonObject): boolean {
  return disabled === true || enabled === false;
}

const types: Readonly<Record<string, "command" | "url" | undefined>> = {
  stdio: "command",
  local: "command",
  http: "url",
  "streamable-http": "url",
  streamableHttp: "url",
  streamable_http: "url",
  sse: "url",
  remote: "url",
};

function createPlace(
  block: Block,
  pointer: string,
  folder: string,
  reader: ConfigReader,
): ServerPlace | undefined {
  const { command, args = [], env = {}, envFile, cwd = "", headers = {} } = block;
  const url = block.url ?? block.serverUrl ?? block.httpUrl;
  const type = block.type ?? (typeof block.transport === "string" ? block.transport : undefined);
  const way = type !== undefined && Object.hasOwn(types, type) ? types[type] : undefined;
  if (type !== undefined && way === undefined) {
    reader.fault(
      `${pointer}/type`,
      `"${type}" is no type: use stdio, http, streamable-http or sse`,
    );
    return undefined;
  }
  const isBoth = command !== undefined && url !== undefined;
  if (isBoth && way === undefined) {
    reader.fault(pointer, 'both command and url are there: take one out, or write "type"');
    return undefined;
  }
  if (command !== undefined && way !== "url") {
    return {
      command,
      args,
      env: { ...envFrom(envFile, pointer, folder, reader), ...texts(env) },
      cwd: resolve(folder, cwd),
    };
  }
  if (url !== undefined && way !== "command") {
    const parsed = URL.parse(url);
    if (parsed !== null && /^https?:$/.test(parsed.protocol)) return { url, headers };
    reader.fault(`${pointer}/url`, "this is no address: write http:// or https:// and the rest");
    return undefined;
  }
  const misspelt = Object.keys(block).flatMap((key) => {
    const [near] = nearNames(key, ["command", "url"], 1);
    return near === undefined || Object.hasOwn(block, near) ? [] : [{ key, near }];
  });
  for (const { key, near } of misspelt) {
    reader.fault(childPointer(pointer, key), `Unknown option "${key}". Did you mean "${near}"?`);
  }
  if (misspelt.length > 0) return undefined;
  reader.fault(
    pointer,
    way === undefined
      ? 'how to reach the server is missing: give "command" for a program, or "url"'
      : `"type" is ${type}, and "${way}" is missing`,
  );
  return undefined;
}

function texts(env: NonNullable<Block["env"]>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
}

function envFrom(
  file: string | undefined,
  pointer: string,
  folder: string,
  reader: ConfigReader,
): Record<string, string> {
  if (file === undefined) return {};
  try {
    return util.parseEnv(decodeText(readRegularFile(resolve(folder, file)))) as Record<
      string,
      string
    >;
  } catch (error) {
    const { code = "unknown reason" } = error as NodeJS.ErrnoException;
    reader.fault(`${pointer}/envFile`, `the file cannot be read (${code})`);
    return {};
  }
}

const secretName = /auth|cookie|credential|key|pass|pwd|secret|session|token/i;

/** Every user of the machine can read the arguments of a program. */
function refuseSecretArguments(
  args: readonly string[],
  taken: readonly TakenValue[],
  pointer: string,
  reader: ConfigReader,
): void {
  const elsewhere = new Set(
    taken
      .filter(
        (one) => /\/(?:env|headers)\/[^/]*$/.test(one.pointer) && secretName.test(one.pointer),
      )
      .map(({ value }) => value),
  );
  args.forEach((arg, index) => {
    const at = `${pointer}/args/${index}`;
    const option = arg.startsWith("-") ? (arg.split("=", 1)[0] ?? "") : (args[index - 1] ?? "");
    for (const { name, value } of taken.filter((one) => one.pointer === at)) {
      const isSecret =
        secretName.test(name) ||
        elsewhere.has(value) ||
        (option.startsWith("-") && secretName.test(option));
      if (!isSecret) continue;
      reader.fault(
        at,
        `the value of ${name} looks like a secret, and arguments stand in the list of processes: give it to the server in "env"`,
      );
    }
  });
}

/** Warns of secrets that are written in the arguments themselves. Values of the environment have been refused. */
function warnOfWrittenSecrets(
  args: readonly string[],
  taken: readonly TakenValue[],
  pointer: string,
  reader: ConfigReader,
): void {
  for (const { index, name } of findSecretArguments(args)) {
    const at = `${pointer}/args/${index}`;
    if (taken.some((one) => one.pointer === at)) continue;
    const variable = name?.replace(/^-+/, "").replaceAll(/\W/g, "_").toUpperCase() ?? "SECRET";
    reader.warn(
      at,
      `${name === undefined ? "this" : `the value of ${name}`} looks like a secret, and arguments stand in the list of processes: give it to the server in "env", as "${variable}": "\${${variable}}"`,
    );
  }
}

/** The servers of a block of other hosts. */
export function writtenServers(
  block: string,
  servers: JsonObject,
  folder: string,
  reader: ConfigReader,
): WrittenServer[] {
  return Object.entries(servers).flatMap(([name, server]) => {
    const pointer = childPointer(`/${block}`, name);
    return writtenServer(name, server as JsonObject, pointer, folder, reader) ?? [];
  });
}
