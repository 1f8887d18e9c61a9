import type { SourceProblem } from "@toolweave/core";
import { relativeUrl } from "../document/loading/display-url.ts";
import { describePointer } from "../document/references/location.ts";
import { withoutFragment } from "../document/references/document-set.ts";
import type { DocumentSet } from "../document/references/document-set.ts";
import type { LoadedDocument, Location } from "../document/references/location.ts";
import { getReference } from "../document/record.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import { OperationError, type DanglingReference } from "../document/operation.ts";
import type { MediaDescription, Parameter, SecurityUse } from "../document/operation.ts";
import { ReferenceResolver } from "../document/references/resolve-reference.ts";
import { SchemaLibrary } from "../schema/schema-library.ts";

const maxNotes = 5;

/** What reading an operation needs of the document around it. */
export class DocumentContext {
  readonly root: LoadedDocument;
  /** The main document's root object. */
  readonly location: Location;
  readonly version: OpenApiVersion;
  readonly resolver: ReferenceResolver;
  readonly schemas: SchemaLibrary;
  /** Parameters that several operations refer to are read once. */
  readonly parameters: Map<object, Parameter> = new Map();
  /** What responses consist of, likewise. */
  readonly responses: Map<object, readonly MediaDescription[]> = new Map();
  /** The document's own servers, for operations that name none. */
  servers: readonly string[] | undefined;
  /** The document's own security requirements, likewise. */
  security: readonly (readonly SecurityUse[])[] | undefined;
  readonly #set: DocumentSet;
  readonly #base: DocumentContext | undefined;
  readonly #problems: SourceProblem[] = [];
  readonly #reported = new Set<string>();

  /** Values of the host for variables of servers. */
  readonly serverVariables: Readonly<Record<string, string>>;
  /** Servers as the document writes them, by their URLs with values in them. */
  readonly serverTemplates: Map<string, string>;

  /**
   * @param serverVariables values of the host for variables of servers.
   * @param base the context of the same document that collects problems. Default: this one.
   * @param writable names of properties that are sent although the document calls them read-only.
   */
  constructor(
    set: DocumentSet,
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
    this.resolver = base?.resolver ?? new ReferenceResolver(set);
    this.schemas = new SchemaLibrary(
      set.root,
      set.version,
      this.resolver,
      writable,
      (message, at) => {
        const pointer = describePointer(at);
        this.report({ subject: "the document", message, pointer, severity: "warning" });
      },
    );
  }

  /** The same document, of which these read-only properties are sent. */
  withWritable(names: readonly string[]): DocumentContext {
    return new DocumentContext(this.#set, this.serverVariables, this.#base ?? this, names);
  }

  /** All that was found so far, each once. */
  get problems(): readonly SourceProblem[] {
    return this.#problems;
  }

  /** Adds what cost an operation; any other error is thrown on. */
  reportFault(subject: string, error: unknown): void {
    if (!(error instanceof OperationError)) throw error;
    const { message, pointer } = error;
    this.report({
      subject,
      message: `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
      pointer,
    });
  }

  /** Adds a reference that points to nothing, once for all operations that reach it. */
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
   * A part of the document that holds others by name, references followed. No version allows a reference in its place,
   * and documents that were split into files have one.
   *
   * @throws {OperationError} the reference cannot be followed.
   */
  container(location: Location): Location {
    if (getReference(location.value) === undefined) return location;
    const found = this.resolver.follow(location);
    const pointer = describePointer(location);
    const message = `A $ref stands in place of ${location.pointer.slice(1)}, where the specification has none; it was followed.`;
    this.report({ subject: "the document", message, pointer, severity: "warning" });
    return found;
  }

  /** Adds what is wrong in a file and was read nevertheless. */
  reportTolerated(url: string | undefined, notes: readonly string[]): void {
    const isMain = url === undefined || withoutFragment(url) === this.root.url;
    const label = isMain ? "" : relativeUrl(url, this.root.url);
    const shown = notes.slice(0, maxNotes).join("; ");
    const more = notes.length > maxNotes ? `; and ${notes.length - maxNotes} more` : "";
    this.report({
      subject: isMain ? "the document" : label,
      message: `It is not written as it should be, and was read nevertheless: ${shown}${more}.`,
      pointer: isMain ? "" : `${label}#`,
      severity: "warning",
    });
  }

  /** Adds a problem, unless it is known. */
  report(problem: SourceProblem): void {
    if (this.#base !== undefined) return this.#base.report(problem);
    const key = `${problem.subject}\n${problem.pointer ?? ""}\n${problem.message}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#problems.push(problem);
  }
}
