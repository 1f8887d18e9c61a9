import type { SourceProblem } from "@toolweave/core";
import { unchangedOperations } from "./compare-documents.ts";
import { DocumentContext } from "./document-context.ts";
import { DocumentFiles } from "../document/loading/document-files.ts";
import { DocumentOperation } from "./document-operation.ts";
import { DocumentSet } from "../document/references/document-set.ts";
import { loadDocument, detectSourceKind } from "../document/loading/load-document.ts";
import type { DocumentFetcher, SourceKind } from "../document/loading/load-document.ts";
import { nameOperations } from "./name-operations.ts";
import { readVersion } from "../document/openapi-version.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import type { Operation } from "../document/operation.ts";
import { prefetchReferences } from "../document/references/prefetch-references.ts";
import { readOperations } from "./read-operations.ts";
import { schemeNames } from "./read-security.ts";
import { documentServers, reportUnknownVariables } from "./read-servers.ts";
import { ownString, ownValue } from "../document/record.ts";

/** How a document is opened. */
export interface OpenOptions {
  /** What the input is. Default: told from its form. */
  readonly kind?: SourceKind;
  /** How documents on the web are fetched; needed for URLs. */
  readonly fetchText?: DocumentFetcher;
  /** URLs and paths that references may open beside the document's own folder, with all below them. */
  readonly allowReferences?: readonly string[];
  /** Values of variables in the URLs of servers, in place of their defaults. */
  readonly serverVariables?: Readonly<Record<string, string>>;
  /**
   * The same document as it was loaded before. When no file of it has changed, it is the result itself. Else its
   * operations that are still the same are operations of the result, and belong to that from now on.
   */
  readonly before?: ApiDocument;
}

/** An OpenAPI document of any version, read as far as it was needed. */
export interface ApiDocument {
  /** Where it was found: an absolute URL; absent for a text or a value. */
  readonly url?: string;
  readonly version: OpenApiVersion;
  readonly title?: string;
  readonly sourceKind: SourceKind;
  /** The servers of the whole document, as those of an operation that names none itself. */
  readonly servers: readonly string[];
  /** Servers as the document writes them, by their URLs with values in them. It grows when details are read. */
  readonly serverTemplates: ReadonlyMap<string, string>;
  /** The names of the security schemes that it declares. */
  readonly schemeNames: readonly string[];
  /** In order of declaration, those that turn out to be broken when read included. */
  readonly operations: readonly Operation[];
  /** What is wrong, each once. It grows when details are read. */
  readonly problems: readonly SourceProblem[];
  /** What it was read from. */
  readonly files: DocumentFiles;
}

/**
 * Opens a document and finds its operations. Nothing else in it is read before it is asked for.
 *
 * @param input a URL, a path, the text of a document in JSON or YAML, or a parsed document, which
 * must not be changed afterwards.
 * @throws {ToolError} `unavailable`: it can't be had; `invalid_arguments`: it can't be parsed, or is
 * no OpenAPI document of version 2.0, 3.0, 3.1 or 3.2.
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
  if (fetchText !== undefined && (kind === "url" || set.policy.opensWeb)) {
    await prefetchReferences(set, files);
  }
  if (before !== undefined && files.isUnchanged()) {
    before.files.renew(files);
    return before;
  }
  const context = new DocumentContext(set, options.serverVariables);
  files.onTolerated((at, notes) => context.reportTolerated(at, notes));
  const title = ownString(ownValue(root, "info"), "title");
  const operations = listOperations(context);
  const kept = before === undefined ? operations : reusedOperations(before.operations, operations);
  files.settle();
  return {
    ...(set.root.url === undefined ? {} : { url: set.root.url }),
    version,
    ...(title === undefined ? {} : { title }),
    sourceKind: kind,
    servers: documentServers(context),
    serverTemplates: context.serverTemplates,
    schemeNames: schemeNames(context),
    operations: kept,
    problems: context.problems,
    files,
  };
}

/** `after`, with the operations of `before` in place of those that say the same. */
function reusedOperations(
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
      message: `Several operations have the operationId ${JSON.stringify(operationId)}; their names get method and path behind it.`,
      severity: "warning",
    });
  }
  return found.map(
    (operation, index) => new DocumentOperation(names[index] as string, operation, context),
  );
}
