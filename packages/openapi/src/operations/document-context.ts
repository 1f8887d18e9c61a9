import type { SourceProblem } from "@toolweave/core/adapter";
import { relativeUrl } from "../document/loading/display-url.ts";
import { describePointer, withoutFragment } from "../document/references/location.ts";
import type { DocumentSet } from "../document/references/document-set.ts";
import type { LoadedDocument, Location } from "../document/references/location.ts";
import { getReference } from "../document/record.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import { OperationError, type DanglingReference } from "../document/operation.ts";
import type { MediaDescription, Parameter, SecurityUse } from "../document/operation.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import { SchemaLibrary } from "../schema/schema-library.ts";

const maxNotes = 5;

/** The parts of the document that reading an operation needs. */
export class DocumentContext {
  readonly root: LoadedDocument;
  /** The main document's root object. */
  readonly location: Location;
  readonly version: OpenApiVersion;
  readonly resolver: ReferenceResolver;
  readonly schemas: SchemaLibrary;
  /** Parameters by their objects: those that several operations refer to are read once. */
  readonly parameters: Map<object, Parameter> = new Map();
  /** Contents of responses, cached in the same way. */
  readonly responses: Map<object, readonly MediaDescription[]> = new Map();
  /** The document's own servers, for operations that name none. */
  servers: readonly string[] | undefined;
  /** The document's own security requirements, for operations that have none. */
  security: readonly (readonly SecurityUse[])[] | undefined;
  readonly #set: DocumentSet;
  readonly #base: DocumentContext | undefined;
  readonly #problems: SourceProblem[] = [];
  readonly #reported = new Set<string>();

  /** Values of the host for server variables. */
  readonly serverVariables: Readonly<Record<string, string>>;
  /** Server URLs as in the document, by the URLs with values. */
  readonly serverTemplates: Map<string, string>;

  /**
   * @param serverVariables values of the host for server variables.
   * @param base the context of the same document that collects problems. Default: this one.
   * @param writable names of properties that are sent although the document declares them read-only.
   */
  constructor(
    set: DocumentSet,
    resolver: ReferenceResolver,
    serverVariables: Readonly<Record<string, string>> = {},
    base?: DocumentContext,
    writable: readonly string[] = [],
  ) {
    this.#set = set;
    this.#base = base;
    this.serverVariables = serverVariables;
    this.serverTemplates = base?.serverTemplates ?? new Map();
    this.root = set.root;
    this.location = { value: set.root.root, scope: set.root.scope, pointer: "" };
    this.version = set.version;
    this.resolver = resolver;
    this.schemas = new SchemaLibrary(
      set.root,
      set.version,
      this.resolver,
      writable,
      (message, at) => {
        const pointer = describePointer(at);
        this.report({ subject: "the document", message, pointer, severity: "warning" });
      },
      base?.schemas.responses,
    );
  }

  /** Creates a context of the same document in which these read-only properties are sent. */
  withWritable(names: readonly string[]): DocumentContext {
    const base = this.#base ?? this;
    return new DocumentContext(this.#set, this.resolver, this.serverVariables, base, names);
  }

  /** All problems found so far, without duplicates. */
  get problems(): readonly SourceProblem[] {
    return this.#problems;
  }

  /** Reports an error that makes an operation unusable; other errors are rethrown. */
  reportFault(subject: string, error: unknown): void {
    if (!(error instanceof OperationError)) throw error;
    const { message, pointer } = error;
    this.report({
      subject,
      message: `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
      pointer,
    });
  }

  /** Reports a reference that points to nothing, once for all operations that reach it. */
  reportDangling({ message, pointer }: DanglingReference, consequence: string): void {
    const file = pointer.startsWith("/") ? "the document" : pointer.replace(/#.*$/s, "");
    this.report({
      subject: file === "" ? "the document" : file,
      message: `${message.charAt(0).toUpperCase()}${message.slice(1)}: ${consequence}.`,
      pointer,
      severity: "warning",
    });
  }

  /**
   * Returns a part of the document that contains others by name, with references resolved. No version allows a
   * reference there, but documents that were split into files have them.
   *
   * @throws {OperationError} the reference cannot be resolved.
   */
  container(location: Location): Location {
    if (getReference(location.value) === undefined) return location;
    const found = this.resolver.follow(location);
    const pointer = describePointer(location);
    const message = `A $ref replaces ${location.pointer.slice(1)}, which the specification does not allow; it was resolved.`;
    this.report({ subject: "the document", message, pointer, severity: "warning" });
    return found;
  }

  /** Reports the errors in a file that was read nevertheless. */
  reportTolerated(url: string | undefined, notes: readonly string[]): void {
    const isMain = url === undefined || withoutFragment(url) === this.root.url;
    const label = isMain ? "" : relativeUrl(url, this.root.url);
    const first = notes.slice(0, maxNotes).join("; ");
    const more = notes.length > maxNotes ? `; and ${notes.length - maxNotes} more` : "";
    this.report({
      subject: isMain ? "the document" : label,
      message: `It has errors and was read nevertheless: ${first}${more}.`,
      pointer: isMain ? "" : `${label}#`,
      severity: "warning",
    });
  }

  /** Reports a problem, unless it is known. */
  report(problem: SourceProblem): void {
    if (this.#base !== undefined) return this.#base.report(problem);
    const key = `${problem.subject}\n${problem.pointer ?? ""}\n${problem.message}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#problems.push(problem);
  }
}
