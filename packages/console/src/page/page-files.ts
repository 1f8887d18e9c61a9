import { ToolError } from "@toolweave/core";
import { formatValue, isObject } from "@toolweave/core/adapter";
import { matchPath } from "../openapi/route.ts";

/** A file of the page. */
export interface ConsoleFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** With its charset: `text/html; charset=utf-8`. */
  readonly mediaType: string;
  /** The file never changes, because its name contains a hash: browsers keep it for a year. */
  readonly immutable: boolean;
}

const indexPath = "/index.html";

/** Addresses of the page's screens. All of them are answered with the same document. */
const screens = [
  "/",
  "/sources",
  "/problems",
  "/tools",
  "/tools/{name}",
  "/runs",
  "/runs/{id}",
  "/approvals",
  "/approvals/{id}",
  "/grants",
  "/tasks",
  "/tasks/{id}",
  "/artifacts/{key}",
  "/memory",
  "/memory/{id}",
  "/policy",
  "/audit",
  "/lock",
  "/help",
] as const;

/** Headers of every file. Trusted Types without a policy: the page has no way to turn text into HTML. */
const fileHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
} as const;

/** The files of the page by path, and nothing else: no path leads to a file system. */
export class PageFiles {
  readonly #files: ReadonlyMap<string, ConsoleFile>;

  /** @throws ToolError `invalid_configuration` for a path that is not absolute or is the API's, and without `/index.html`. */
  constructor(files: ReadonlyMap<string, ConsoleFile>) {
    if (!(files instanceof Map)) throw invalid(`is ${formatValue(files)}; use a Map by path`);
    for (const [path, file] of files) {
      if (typeof path !== "string" || !/^\/(?!api\/|session$)[^?#]+$/.test(path)) {
        throw invalid(`has the path ${formatValue(path)}; use a path such as "/assets/page.js"`);
      }
      if (!isObject(file) || !(file.bytes instanceof Uint8Array) || !file.mediaType) {
        throw invalid(`has no bytes or no mediaType at ${path}`);
      }
    }
    if (!files.has(indexPath)) throw invalid(`lacks ${indexPath}, the document of all screens`);
    this.#files = new Map(files);
  }

  /** The file at a path; `undefined`: there is none. */
  find(path: string): ConsoleFile | undefined {
    const file = this.#files.get(path);
    if (file !== undefined) return file;
    const isScreen = screens.some((screen) => matchPath(screen, path) !== undefined);
    return isScreen ? this.#files.get(indexPath) : undefined;
  }
}

/** The response with a file of the page. */
export function toFileResponse({ bytes, mediaType, immutable }: ConsoleFile): Response {
  const cache = immutable ? "public, max-age=31536000, immutable" : "no-cache";
  const headers = {
    ...fileHeaders,
    "cache-control": cache,
    "content-type": mediaType,
    "content-length": String(bytes.length),
  };
  return new Response(bytes, { headers });
}

function invalid(fault: string): ToolError {
  return new ToolError("invalid_configuration", `consoleHandler: files ${fault}.`);
}
