import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Interruption, JsonObject } from "@toolweave/core";
import { isPreset } from "../input/policy-option.ts";
import {
  canBeStored,
  maskLocation,
  separateSecrets,
  getSlot,
  parseWebUrl,
  type WrittenOption,
} from "../input/secret-options.ts";
import type { ResolvedSources, ToolOptions } from "../input/tool-options.ts";
import { UsageError } from "../process/exit-code.ts";
import { shellLine } from "../render/text.ts";

/** A document and what it is called; the name is part of what an approval is for. */
export interface Document {
  readonly location: string;
  /** Default: the location. */
  readonly id?: string;
}

/** A module and what its source is called. */
export interface StoredModule {
  readonly path: string;
  /** Default: the path. */
  readonly id?: string;
}

/** The sources that a pending call was made with. */
export interface OriginalSources {
  readonly documents?: readonly Document[];
  readonly modules?: readonly StoredModule[];
  /** The working directory of the programs of `--mcp`. */
  readonly folder?: string;
}

/** The context of a pending call: all that another process needs to load the same tools. No secrets. */
export interface PendingCallContext {
  readonly version: 1;
  /** Milliseconds since the epoch. */
  readonly calledAt: number;
  /** A location that may hold a secret is left out. */
  readonly documents: readonly { readonly location?: string; readonly id?: string }[];
  /** MCP servers, by command or URL; the folder is where commands ran. */
  readonly mcp?: readonly string[];
  readonly folder?: string;
  /** Modules that export tools, by their absolute paths. */
  readonly modules?: readonly StoredModule[];
  /** Scripts could call the tools. */
  readonly scripts?: true;
  /** The absolute path of a workspace. */
  readonly workspace?: string;
  /** The absolute path of a configuration. */
  readonly config?: string;
  /** It was found in a folder, not named: it has to be trusted as it is when the call is answered. */
  readonly found?: true;
  readonly baseUrl?: string;
  readonly header: readonly string[];
  readonly auth: readonly string[];
  readonly allowOrigin: readonly string[];
  /** URLs, and absolute paths. */
  readonly allowReference: readonly string[];
  readonly timeout?: number;
  /** A preset, or the absolute path of a file. */
  readonly policy?: string;
  /** Options that have to be explicit again, as they could be written. */
  readonly withheld: readonly WrittenOption[];
}

const metadataKey = "toolweave-cli";

/** The context of a call as metadata of the call: authenticated with it, and not shown to a model. */
export function toContextMetadata(
  options: ToolOptions & ResolvedSources,
  policy: string | undefined,
  hasScripts = false,
): JsonObject {
  const { openapi, mcp, tools, workspace, config, found } = options;
  const { baseUrl, header = [], auth = [], timeout } = options;
  const { allowOrigin = [], allowReference = [] } = options;
  const headers = separateSecrets("--header", header);
  const credentials = separateSecrets("--auth", auth);
  const documents = openapi.map(toStoredDocument);
  const hasHiddenLocation = documents.some(({ location }) => location === undefined);
  const context: PendingCallContext = {
    version: 1,
    calledAt: Date.now(),
    documents,
    ...(mcp.length === 0 ? {} : { folder: resolve() }),
    ...(mcp.length === 0 || !mcp.every(canBeStored) ? {} : { mcp }),
    ...(tools.length === 0
      ? {}
      : { modules: tools.map((path) => ({ path: resolve(path), id: path })) }),
    ...(hasScripts ? { scripts: true } : {}),
    ...(workspace === undefined ? {} : { workspace }),
    ...(config === undefined ? {} : { config }),
    ...(config === undefined || !found ? {} : { found }),
    ...(baseUrl === undefined || maskLocation(baseUrl) !== baseUrl ? {} : { baseUrl }),
    header: headers.stored,
    auth: credentials.stored,
    allowOrigin,
    allowReference: allowReference.map(toStoredReference),
    ...(timeout === undefined ? {} : { timeout }),
    ...(policy === undefined ? {} : { policy: isPreset(policy) ? policy : resolve(policy) }),
    withheld: [
      // All of them: those that are explicit replace those that were kept.
      ...(hasHiddenLocation
        ? openapi.map((document): WrittenOption => ["--openapi", maskLocation(document)])
        : []),
      ...(mcp.every(canBeStored)
        ? []
        : mcp.map((server): WrittenOption => ["--mcp", canBeStored(server) ? server : "SERVER"])),
      ...(baseUrl === undefined || maskLocation(baseUrl) === baseUrl
        ? []
        : [["--base-url", maskLocation(baseUrl)] as const]),
      ...headers.withheld,
      ...credentials.withheld,
    ],
  };
  return { [metadataKey]: context as unknown as JsonObject };
}

/** Returns the context of a pending call; undefined: it was not made by this command. */
export function getPendingCallContext({ call }: Interruption): PendingCallContext | undefined {
  const context = call.metadata?.[metadataKey] as Partial<PendingCallContext> | null | undefined;
  return context?.version === 1 && typeof context.calledAt === "number"
    ? (context as PendingCallContext)
    : undefined;
}

/** The sources that a call resumes with: those it was made with, overridden by the options of this command. */
export interface RebuiltSources {
  readonly options: ToolOptions;
  readonly original: OriginalSources;
}

/** @throws UsageError for a call that cannot be made again without more options. */
export function rebuildSources(
  context: PendingCallContext | undefined,
  explicit: ToolOptions,
): RebuiltSources {
  const documents = explicit.openapi?.map((location, index) => ({
    location,
    // The same document in another place keeps the name that it was approved by.
    ...(explicit.openapi?.length === context?.documents.length
      ? pickId(context?.documents[index])
      : {}),
  }));
  const modules =
    explicit.tools?.map((path, index) => ({
      path,
      ...(explicit.tools?.length === context?.modules?.length
        ? pickId(context?.modules?.[index])
        : {}),
    })) ?? context?.modules;
  const { mcp, workspace, config } = { ...context, ...explicit };
  if (context === undefined && (documents ?? mcp ?? explicit.tools ?? config) === undefined) {
    throw new UsageError(
      "This call was made by another program: answer it there, or name the source of its tools with --openapi, --mcp, --tools or --config.",
    );
  }
  const missing = (context?.withheld ?? []).filter(
    ([name, value]) => !isProvided(name, value, explicit),
  );
  if (missing.length > 0) {
    throw new UsageError(
      `The call was made with values that may be secret and are not stored. Add ${shellLine(missing.flat())}`,
    );
  }
  const { baseUrl, timeout } = { ...context, ...explicit };
  return {
    original: {
      documents: documents ?? ((context?.documents ?? []) as readonly Document[]),
      ...(modules === undefined ? {} : { modules }),
      // One that was not kept is explicit again as it was: it runs where it ran.
      ...(context?.folder === undefined || (explicit.mcp !== undefined && context.mcp !== undefined)
        ? {}
        : { folder: context.folder }),
    },
    options: {
      openapi: (documents ?? context?.documents ?? []).map(({ location = "" }) => location),
      ...(mcp === undefined ? {} : { mcp }),
      ...(modules === undefined ? {} : { tools: modules.map(({ path }) => path) }),
      ...(workspace === undefined ? {} : { workspace }),
      ...(config === undefined ? {} : { config }),
      ...(explicit.config === undefined && context?.found === true ? { found: true } : {}),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(timeout === undefined ? {} : { timeout }),
      header: mergeOptions("--header", context?.header, explicit.header),
      auth: mergeOptions("--auth", context?.auth, explicit.auth),
      allowOrigin: explicit.allowOrigin ?? context?.allowOrigin ?? [],
      allowReference: explicit.allowReference ?? context?.allowReference ?? [],
    },
  };
}

function toStoredDocument(document: string): { location?: string; id?: string } {
  const url = parseWebUrl(document);
  if (url === undefined) {
    const path = /^file:/i.test(document) ? fileURLToPath(document) : document;
    return { location: resolve(path), id: document };
  }
  return maskLocation(document) === document ? { location: document } : {};
}

/** Removes query and login of a URL: they do not matter in the comparison with addresses. */
function toStoredReference(place: string): string {
  const url = URL.parse(place);
  if (url === null || url.protocol === "file:") return url?.href ?? resolve(place);
  return `${url.origin}${url.pathname}`;
}

function pickId(document: { readonly id?: string } | undefined): { id?: string } {
  return document?.id === undefined ? {} : { id: document.id };
}

function isProvided(name: string, value: string, explicit: ToolOptions): boolean {
  if (name === "--openapi") return explicit.openapi !== undefined;
  if (name === "--mcp") return explicit.mcp !== undefined;
  if (name === "--base-url") return explicit.baseUrl !== undefined;
  const options = (name === "--auth" ? explicit.auth : explicit.header) ?? [];
  return options.some((option) => getSlot(name, option) === getSlot(name, value));
}

/** Merges options: an explicit one replaces the stored one of the same slot. */
function mergeOptions(
  name: "--auth" | "--header",
  stored: readonly string[] = [],
  explicit: readonly string[] = [],
): readonly string[] {
  const slots = new Set(explicit.map((option) => getSlot(name, option)));
  return [...stored.filter((option) => !slots.has(getSlot(name, option))), ...explicit];
}
