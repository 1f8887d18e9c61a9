import type { SourceProblem } from "@toolweave/core/adapter";
import { unchangedOperations } from "./compare-documents.ts";
import { DocumentContext } from "./document-context.ts";
import { DocumentFiles, type DocumentFetcher } from "../document/loading/document-files.ts";
import { DocumentOperation } from "./document-operation.ts";
import { DocumentSet } from "../document/references/document-set.ts";
import {
  loadDocument,
  detectSourceKind,
  type SourceKind,
} from "../document/loading/load-document.ts";
import { nameOperations } from "./name-operations.ts";
import { readVersion, type OpenApiVersion } from "../document/openapi-version.ts";
import type { DeclaredSecurityScheme, Operation } from "../document/operation.ts";
import { prefetchReferences } from "../document/references/prefetch-references.ts";
import { ReferenceResolver } from "../document/references/resolve-reference.ts";
import { readOperations } from "./read-operations.ts";
import { readSchemes, schemeNames } from "./read-security.ts";
import { documentServers, reportUnknownVariables } from "./read-servers.ts";
import { ownString, ownValue } from "../document/record.ts";

/** Options for opening a document. */
export interface OpenOptions {
  /** The kind of the input. By default, it is detected. */
  readonly kind?: SourceKind;
  /** Fetches documents on the web; required for URLs. */
  readonly fetchText?: DocumentFetcher;
  /** URLs and paths that references may open beside the document's own folder, including everything below them. */
  readonly allowReferences?: readonly string[];
  /** Values of variables in server URLs, in place of their defaults. */
  readonly serverVariables?: Readonly<Record<string, string>>;
  /**
   * The previous load of the same document. If no file has changed, it is the result itself. Otherwise its unchanged
   * operations become operations of the result, and belong to it from then on.
   */
  readonly before?: ApiDocument;
}

/** An OpenAPI document of any version, read on demand. */
export interface ApiDocument {
  /** Its absolute URL; absent for a text or a value. */
  readonly url?: string;
  readonly version: OpenApiVersion;
  readonly title?: string;
  readonly sourceKind: SourceKind;
  /** The servers of the whole document, for operations that name none. */
  readonly servers: readonly string[];
  /** Server URLs as in the document, by the URLs with values. It grows as details are read. */
  readonly serverTemplates: ReadonlyMap<string, string>;
  /** The names of the security schemes that it declares. */
  readonly schemeNames: readonly string[];
  /** It declares `security: []` for all operations without their own: no credentials are needed. */
  readonly hasEmptySecurity: boolean;
  /** The security schemes that it declares. */
  readonly securitySchemes: readonly DeclaredSecurityScheme[];
  /** In order of declaration, including those that turn out to be invalid when they are read. */
  readonly operations: readonly Operation[];
  /** The problems found so far, without duplicates. It grows as details are read. */
  readonly problems: readonly SourceProblem[];
  /** The files that it was read from. */
  readonly files: DocumentFiles;
}

/**
 * Opens a document and finds its operations. All other parts are read on demand.
 *
 * @param input a URL, a path, the text of a document in JSON or YAML, or a parsed document, which must not be changed
 * afterwards.
 * @throws {ToolError} `unavailable`: it can't be loaded; `invalid_arguments`: it can't be parsed, or is not an OpenAPI
 * document of version 2.0, 3.0, 3.1 or 3.2.
 */
export async function openDocument(
  input: string | URL | object,
  options: OpenOptions = {},
): Promise<ApiDocument> {
  const { kind = detectSourceKind(input), fetchText, allowReferences = [], before } = options;
  const files = new DocumentFiles(fetchText, before?.files);
  const { root, url, name } = await loadDocument(input, kind, files);
  const version = readVersion(root, name);
  const set = new DocumentSet(root, version, url, allowReferences, files);
  const resolver = new ReferenceResolver(set);
  if (fetchText !== undefined && (kind === "url" || set.policy.opensWeb)) {
    await prefetchReferences(set, files, resolver);
  }
  if (before !== undefined && files.isUnchanged()) {
    before.files.renew(files);
    return before;
  }
  const context = new DocumentContext(set, resolver, options.serverVariables);
  files.onTolerated((at, notes) => context.reportTolerated(at, notes));
  const title = ownString(ownValue(root, "info"), "title");
  const operations = listOperations(context);
  const reused = before === undefined ? operations : reuseOperations(before.operations, operations);
  files.settle();
  return {
    ...(set.root.url === undefined ? {} : { url: set.root.url }),
    version,
    ...(title === undefined ? {} : { title }),
    sourceKind: kind,
    servers: documentServers(context),
    serverTemplates: context.serverTemplates,
    schemeNames: schemeNames(context),
    hasEmptySecurity: isEmptyList(ownValue(root, "security")),
    get securitySchemes() {
      return readSchemes(context);
    },
    operations: reused,
    problems: context.problems,
    files,
  };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Returns `after`, with the equal operations of `before` in place of its own. */
function reuseOperations(
  before: readonly Operation[],
  after: readonly DocumentOperation[],
): readonly Operation[] {
  const unchanged = unchangedOperations(before as readonly DocumentOperation[], after);
  return after.map((operation) => {
    const known = unchanged.get(operation);
    known?.moveTo(operation);
    return known ?? operation;
  });
}

function listOperations(context: DocumentContext): DocumentOperation[] {
  const found = readOperations(context);
  reportUnknownVariables(context, found);
  const { names, shared } = nameOperations(found);
  for (const operationId of shared) {
    context.report({
      subject: operationId,
      message: `Several operations have the operationId ${JSON.stringify(operationId)}; method and path are appended to their names.`,
      severity: "warning",
    });
  }
  return found.map(
    (operation, index) => new DocumentOperation(names[index] as string, operation, context),
  );
}
