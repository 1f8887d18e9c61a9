import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Interruption, JsonObject } from "@toolweave/core";
import {
  canBeStored,
  maskLocation,
  separateSecrets,
  getSlot,
  parseWebUrl,
  type WrittenOption,
} from "../input/secret-options.ts";
import { isPreset } from "../input/policy-option.ts";
import { shellLine } from "../render/shell-line.ts";
import type { ResolvedSources, ToolOptions } from "../input/tool-options.ts";
import { UsageError } from "../process/errors.ts";

/** A document and what it is called; the name is part of what an approval is for. */
export interface Document {
  readonly location: string;
  /** Default: the location. */
  readonly id?: string;
}

/** What a call that waits was made with. */
export interface OriginalSources {
  readonly documents?: readonly Document[];
  /** Where the programs of `--mcp` ran. */
  readonly folder?: string;
}

/** How a call that waits was made: what another process needs to make the same tools. No secrets. */
export interface PendingCallContext {
  readonly version: 1;
  /** Milliseconds since the epoch. */
  readonly calledAt: number;
  /** A location that may hold a secret is left out. */
  readonly documents: readonly { readonly location?: string; readonly id?: string }[];
  /** MCP servers, by command or URL; the folder is where commands ran. */
  readonly mcp?: readonly string[];
  readonly folder?: string;
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
  /** Options that have to be given again, as they could be written. */
  readonly withheld: readonly WrittenOption[];
}

const metadataKey = "toolweave-cli";

/** The recipe of a call, as it goes with the call: authenticated with it, and not shown to a model. */
export function toContextMetadata(
  options: ToolOptions & ResolvedSources,
  policy: string | undefined,
): JsonObject {
  const { openapi, mcp, config, found, baseUrl, header = [], auth = [], timeout } = options;
  const { allowOrigin = [], allowReference = [] } = options;
  const headers = separateSecrets("--header", header);
  const credentials = separateSecrets("--auth", auth);
  const documents = openapi.map(toStoredDocument);
  const hasHiddenLocation = documents.some(({ location }) => location === undefined);
  const recipe: PendingCallContext = {
    version: 1,
    calledAt: Date.now(),
    documents,
    ...(mcp.length === 0 ? {} : { folder: resolve() }),
    ...(mcp.length === 0 || !mcp.every(canBeStored) ? {} : { mcp }),
    ...(config === undefined ? {} : { config }),
    ...(config === undefined || !found ? {} : { found }),
    ...(baseUrl === undefined || maskLocation(baseUrl) !== baseUrl ? {} : { baseUrl }),
    header: headers.kept,
    auth: credentials.kept,
    allowOrigin,
    allowReference: allowReference.map(toStoredReference),
    ...(timeout === undefined ? {} : { timeout }),
    ...(policy === undefined ? {} : { policy: isPreset(policy) ? policy : resolve(policy) }),
    withheld: [
      // All of them: those that are given replace those that were kept.
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
  return { [metadataKey]: recipe as unknown as JsonObject };
}

/** How the call was made; undefined: not by this command. */
export function getPendingCallContext({ call }: Interruption): PendingCallContext | undefined {
  const recipe = call.metadata?.[metadataKey] as Partial<PendingCallContext> | null | undefined;
  return recipe?.version === 1 && typeof recipe.calledAt === "number"
    ? (recipe as PendingCallContext)
    : undefined;
}

/** What a call goes on with: as it was made, with the options that are given now over it. */
export interface RebuiltSources {
  readonly options: ToolOptions;
  readonly original: OriginalSources;
}

/** @throws UsageError for a call that cannot be made again without more options. */
export function rebuildSources(
  recipe: PendingCallContext | undefined,
  given: ToolOptions,
): RebuiltSources {
  const documents = given.openapi?.map((location, index) => ({
    location,
    // The same document in another place keeps the name that it was approved by.
    ...(given.openapi?.length === recipe?.documents.length ? pickId(recipe?.documents[index]) : {}),
  }));
  const { mcp, config } = { ...recipe, ...given };
  if (recipe === undefined && (documents ?? mcp ?? config) === undefined) {
    throw new UsageError(
      "This call was not made by `toolweave`: answer it in the program that made it, or say with --openapi, --mcp or --config where its tools are from.",
    );
  }
  const missing = (recipe?.withheld ?? []).filter(
    ([name, value]) => !isProvided(name, value, given),
  );
  if (missing.length > 0) {
    throw new UsageError(
      `The call was made with what may be secret, and is not kept. Add ${shellLine(missing.flat())}`,
    );
  }
  const { baseUrl, timeout } = { ...recipe, ...given };
  return {
    original: {
      documents: documents ?? ((recipe?.documents ?? []) as readonly Document[]),
      // One that was not kept is given again as it was: it runs where it ran.
      ...(recipe?.folder === undefined || (given.mcp !== undefined && recipe.mcp !== undefined)
        ? {}
        : { folder: recipe.folder }),
    },
    options: {
      openapi: (documents ?? recipe?.documents ?? []).map(({ location = "" }) => location),
      ...(mcp === undefined ? {} : { mcp }),
      ...(config === undefined ? {} : { config }),
      ...(given.config === undefined && recipe?.found === true ? { found: true } : {}),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(timeout === undefined ? {} : { timeout }),
      header: mergeOptions("--header", recipe?.header, given.header),
      auth: mergeOptions("--auth", recipe?.auth, given.auth),
      allowOrigin: given.allowOrigin ?? recipe?.allowOrigin ?? [],
      allowReference: given.allowReference ?? recipe?.allowReference ?? [],
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

/** What is compared with addresses: a URL's query and login say nothing there. */
function toStoredReference(place: string): string {
  const url = URL.parse(place);
  if (url === null || url.protocol === "file:") return url?.href ?? resolve(place);
  return `${url.origin}${url.pathname}`;
}

function pickId(document: { readonly id?: string } | undefined): { id?: string } {
  return document?.id === undefined ? {} : { id: document.id };
}

function isProvided(name: string, value: string, given: ToolOptions): boolean {
  if (name === "--openapi") return given.openapi !== undefined;
  if (name === "--mcp") return given.mcp !== undefined;
  if (name === "--base-url") return given.baseUrl !== undefined;
  const options = (name === "--auth" ? given.auth : given.header) ?? [];
  return options.some((option) => getSlot(name, option) === getSlot(name, value));
}

/** What is given replaces what was kept of the same slot. */
function mergeOptions(
  name: "--auth" | "--header",
  kept: readonly string[] = [],
  given: readonly string[] = [],
): readonly string[] {
  const slots = new Set(given.map((option) => getSlot(name, option)));
  return [...kept.filter((option) => !slots.has(getSlot(name, option))), ...given];
}
