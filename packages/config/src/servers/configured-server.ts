import type { JsonObject } from "@toolweave/core";
import { childPointer } from "@toolweave/core/adapter";
import type { CredentialStore } from "@toolweave/core/stores";
import { resolve } from "node:path";
import type { McpServer, Root } from "@toolweave/mcp";
import type { ConfigReader } from "../reading/config-reader.ts";
import {
  isLeftOut,
  writtenServer,
  writtenServers,
  type ServerPlace,
  type WrittenServer,
} from "./written-server.ts";
import type { OpenApiOptions } from "@toolweave/openapi";

/** A server of the configuration, ready for `mcpSource`. */
export interface ConfiguredServer {
  readonly server: McpServer;
  readonly pointer: string;
  /** Values that came from the environment. */
  readonly secrets: readonly string[];
}

/** The host's options for every server: above all handlers, which no file can hold. */
export type ServerDefaults = Omit<Pick<McpServer, keyof McpServer>, "name" | "declaration">;

const placeKeys = ["command", "args", "env", "envFile", "cwd", "url", "headers"];

/**
 * The servers of `mcpServers` and `servers`, with their options in `mcp`, and those that only `mcp` has.
 *
 * @param defaults the file's options override them.
 * @param credentials the store of tokens.
 */
export function configuredServers(
  config: JsonObject,
  folder: string,
  reader: ConfigReader,
  defaults: ServerDefaults,
  credentials: CredentialStore | undefined,
): ConfiguredServer[] {
  const {
    mcpServers = {},
    servers = {},
    mcp = {},
  } = config as Readonly<Record<string, JsonObject>>;
  const own = new Map(Object.entries(mcp as Readonly<Record<string, JsonObject>>));
  const names = [...Object.keys(mcpServers), ...Object.keys(servers)];
  for (const name of Object.keys(servers)) {
    if (!Object.hasOwn(mcpServers, name)) continue;
    reader.faultOfFile(
      childPointer("/servers", name),
      `a server "${name}" is in mcpServers, too: rename one`,
    );
  }
  const isWanted = (name: string): boolean => own.get(name)?.["disabled"] !== true;
  const wanted = (block: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(block).filter(([name]) => isWanted(name)));
  const found: WrittenServer[] = [
    ...writtenServers("mcpServers", wanted(mcpServers), folder, reader),
    ...writtenServers("servers", wanted(servers), folder, reader),
  ];
  for (const [name, written] of own) {
    const pointer = childPointer("/mcp", name);
    if (names.includes(name)) {
      const twice = placeKeys.find((key) => Object.hasOwn(written, key));
      if (twice === undefined) continue;
      reader.fault(`${pointer}/${twice}`, `"${twice}" is said where the server "${name}" stands`);
    } else if (!isLeftOut(written)) {
      const place = Object.fromEntries(
        Object.entries(written).filter(([key]) => placeKeys.includes(key)),
      );
      const server = writtenServer(name, place, pointer, folder, reader);
      if (server !== undefined) found.push(server);
    }
  }
  const readOptions = (name: string, pointer: string): ReturnType<typeof ownOptions> =>
    reader.inSource(pointer, name, () =>
      ownOptions(own.get(name) ?? {}, childPointer("/mcp", name), reader),
    );
  // Of a server that is left out, variables that its options refer to are reported, too.
  for (const [pointer, { name }] of [...reader.incomplete]) readOptions(name, pointer);
  const configured = found.map(({ name, pointer, place, declaration, options, secrets }) => {
    const extra = readOptions(name, pointer);
    if (extra.options["auth"] !== undefined && !("url" in place)) {
      reader.fault(
        `${childPointer("/mcp", name)}/auth`,
        "only a server with a url can be signed in to",
      );
    }
    const server = {
      ...defaults,
      name,
      declaration,
      ...place,
      ...options,
      ...extra.options,
      ...toRoots(extra.options["roots"] as readonly string[] | undefined, folder),
      ...toSignIn(place, extra.options["auth"] as JsonObject | undefined, credentials),
    };
    return {
      // Its shape has been checked; `mcpSource` checks the values.
      server: server as unknown as McpServer,
      pointer,
      secrets: [...secrets, ...extra.secrets],
    };
  });
  return configured.filter(({ pointer }) => !reader.incomplete.has(pointer));
}

function toRoots(
  roots: readonly string[] | undefined,
  folder: string,
): { readonly roots?: readonly Root[] } {
  if (roots === undefined) return {};
  return {
    roots: roots.map((root) => ({
      uri: /^file:\/\//i.test(root) ? root : resolve(folder, root),
    })),
  };
}

/** Other hosts sign in when a server asks for it, and files rely on that. */
function toSignIn(
  place: ServerPlace,
  auth: JsonObject | undefined,
  credentials: CredentialStore | undefined,
): { readonly auth?: object } {
  if (!("url" in place)) return {};
  const isGiven = Object.keys(place.headers).some((name) => /^authorization$/i.test(name));
  if (auth === undefined && isGiven) return {};
  return {
    auth: {
      ...(auth ?? { oauth: {} }),
      ...(credentials === undefined ? {} : { store: credentials }),
    },
  };
}

function ownOptions(
  written: JsonObject,
  pointer: string,
  reader: ConfigReader,
): { readonly options: JsonObject; readonly secrets: readonly string[] } {
  const kept = Object.fromEntries(
    Object.entries(written).filter(([key]) => !placeKeys.includes(key) && key !== "disabled"),
  ) as JsonObject;
  const before = reader.taken.length;
  const options = reader.resolved(kept, pointer);
  return { options, secrets: reader.taken.slice(before).map(({ value }) => value) };
}

/** An OpenAPI document of the configuration, ready for `openApiSource`. */
export interface ConfiguredDocument {
  readonly pointer: string;
  /** A URL, or an absolute path. */
  readonly location: { readonly url: string } | { readonly file: string };
  readonly options: OpenApiOptions;
  /** Values that came from the environment. */
  readonly secrets: readonly string[];
}

/** The documents of `openapi`; their names are the sources' ids. */
export function configuredDocuments(
  config: JsonObject,
  folder: string,
  reader: ConfigReader,
  credentials: CredentialStore | undefined,
): ConfiguredDocument[] {
  const entries = (config["openapi"] ?? {}) as Readonly<Record<string, JsonObject>>;
  return Object.entries(entries).flatMap(([name, written]) => {
    if (isLeftOut(written)) return [];
    const pointer = childPointer("/openapi", name);
    const before = reader.taken.length;
    const {
      url,
      file,
      disabled: _,
      auth,
      ...rest
    } = reader.inSource(pointer, name, () => reader.resolved(written, pointer));
    const secrets = reader.taken.slice(before).map(({ value }) => value);
    if ((url === undefined) === (file === undefined)) {
      reader.fault(pointer, 'where the document is has to be said once: "url" or "file"');
      return [];
    }
    if (reader.incomplete.has(pointer)) return [];
    const { allowReferences, ...others } = rest as OpenApiOptions;
    const placed = (place: string): string =>
      /^(?:https?|file):/i.test(place) ? place : resolve(folder, place);
    const options: OpenApiOptions = {
      ...others,
      id: name,
      ...(allowReferences === undefined ? {} : { allowReferences: allowReferences.map(placed) }),
      ...(auth === undefined
        ? {}
        : {
            auth: {
              ...(auth as NonNullable<OpenApiOptions["auth"]>),
              ...(credentials === undefined ? {} : { store: credentials }),
            },
          }),
    };
    const location =
      url === undefined ? { file: resolve(folder, file as string) } : { url: url as string };
    return [{ pointer, location, options, secrets }];
  });
}
