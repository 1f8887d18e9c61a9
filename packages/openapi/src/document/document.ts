import type { SourceProblem } from "@toolweave/core";
import { DocumentContext } from "./document-context.ts";
import { DocumentSet } from "./document-set.ts";
import { loadDocument, sourceKindOf } from "./load-document.ts";
import type { DocumentFetcher, SourceKind } from "./load-document.ts";
import { nameOperations } from "./name-operations.ts";
import { readVersion } from "./openapi-version.ts";
import type { OpenApiVersion } from "./openapi-version.ts";
import { OperationError } from "./operation.ts";
import type { Operation, OperationDetails } from "./operation.ts";
import { readDetails } from "./operation-details.ts";
import { prefetchReferences } from "./prefetch-references.ts";
import { readOperations, readTags, readText } from "./read-operations.ts";
import type { FoundOperation } from "./read-operations.ts";
import { documentServers } from "./read-servers.ts";
import { ownString, ownValue } from "./record.ts";

/** How a document is opened. */
export interface OpenOptions {
  /** What the input is. Default: told from its form. */
  readonly kind?: SourceKind;
  /** How documents on the web are fetched; needed for URLs. */
  readonly fetchText?: DocumentFetcher;
  /** URLs and paths that references may open beside the document's own folder, with all below them. */
  readonly allowReferences?: readonly string[];
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
  /** In order of declaration, those that turn out to be broken when read included. */
  readonly operations: readonly Operation[];
  /** What is wrong, each once. It grows when details are read. */
  readonly problems: readonly SourceProblem[];
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
  const { kind = sourceKindOf(input), fetchText, allowReferences = [] } = options;
  const { root, url, name } = await loadDocument(input, kind, fetchText);
  const version = readVersion(root, name);
  const set = new DocumentSet(root, version, url, allowReferences);
  if (fetchText !== undefined && (kind === "url" || set.policy.opensWeb)) {
    await prefetchReferences(set, fetchText);
  }
  const context = new DocumentContext(set);
  const title = ownString(ownValue(root, "info"), "title");
  return {
    ...(set.root.url === undefined ? {} : { url: set.root.url }),
    version,
    ...(title === undefined ? {} : { title }),
    sourceKind: kind,
    servers: documentServers(context),
    operations: operationsOf(context),
    problems: context.problems,
  };
}

function operationsOf(context: DocumentContext): Operation[] {
  const found = readOperations(context);
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

class DocumentOperation implements Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  declare readonly operationId?: string;
  declare readonly summary?: string;
  declare readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  readonly #found: FoundOperation;
  readonly #context: DocumentContext;
  #details: OperationDetails | OperationError | undefined;

  constructor(name: string, found: FoundOperation, context: DocumentContext) {
    const { value } = found.location;
    this.name = name;
    this.method = found.method;
    this.path = found.path;
    if (found.operationId !== undefined) this.operationId = found.operationId;
    const summary = readText(found, "summary");
    if (summary !== undefined) this.summary = summary;
    const description = readText(found, "description");
    if (description !== undefined) this.description = description;
    this.tags = readTags(value);
    this.deprecated = ownValue(value, "deprecated") === true;
    this.#found = found;
    this.#context = context;
  }

  get pointer(): string {
    return this.#found.declared.pointer;
  }

  details(): OperationDetails {
    this.#details ??= this.#read();
    if (this.#details instanceof OperationError) throw this.#details;
    return this.#details;
  }

  #read(): OperationDetails | OperationError {
    try {
      return readDetails(this.#found, this.#context);
    } catch (error) {
      this.#context.reportFault(`${this.method} ${this.path}`, error);
      return error as OperationError;
    }
  }
}
