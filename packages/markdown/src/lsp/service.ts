import { statSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import type {
  CompletionItem,
  Diagnostic,
  DocumentSymbol,
  FoldingRange,
  Hover,
  Location,
  Position,
  Range,
  SignatureHelp,
  TextDocumentContentChangeEvent,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import type { BuiltinFunction } from "../builtins/builtin.ts";
import { LanguageDocument } from "./document.ts";
import type { DocumentContext } from "./document.ts";
import { findCompletions } from "./features/complete.ts";
import { findDefinition } from "./features/definition.ts";
import { findDiagnostics } from "./features/diagnostics.ts";
import { formatDocument } from "./features/format.ts";
import { findHover } from "./features/hover.ts";
import { prepareRename, rename } from "./features/rename.ts";
import { findSignature } from "./features/signature-help.ts";
import { findFoldings, findSymbols } from "./features/symbols.ts";
import { WorkspaceFiles } from "./files.ts";

const maxCachedFiles = 200;

/** The answers of the language server, without the protocol: the open documents and what is known about them. */
export class LanguageService {
  readonly #open = new Map<string, LanguageDocument>();
  readonly #stored = new Map<
    string,
    { readonly stamp: string; readonly document: LanguageDocument }
  >();
  readonly #context: DocumentContext;

  /** @param testFunctions the members of the parameter of tests in `*.test.star`. */
  constructor(testFunctions: readonly BuiltinFunction[] = []) {
    const files = new WorkspaceFiles((path) => this.#openAt(path)?.text);
    this.#context = { files, testFunctions, documentAt: (path) => this.#documentAt(path) };
  }

  /** The open documents. */
  get uris(): readonly string[] {
    return [...this.#open.keys()];
  }

  open(uri: string, languageId: string, version: number, text: string): void {
    this.#set(TextDocument.create(uri, languageId, version, text));
  }

  change(uri: string, version: number, changes: readonly TextDocumentContentChangeEvent[]): void {
    const document = this.#open.get(uri);
    if (document === undefined) return;
    // The versions share the text, which changes in place.
    const { languageId } = document.source;
    const copy = TextDocument.create(uri, languageId, document.source.version, document.text);
    this.#set(TextDocument.update(copy, [...changes], version), document);
  }

  close(uri: string): void {
    this.#open.delete(uri);
    this.refresh();
  }

  /** Reads files again, since one has changed on disk. */
  refresh(): void {
    this.#context.files.invalidate();
    this.#stored.clear();
    for (const [uri, document] of this.#open) this.#renew(uri, document);
  }

  version(uri: string): number | undefined {
    return this.#open.get(uri)?.source.version;
  }

  diagnostics(uri: string): readonly Diagnostic[] {
    const document = this.#open.get(uri);
    return document === undefined ? [] : findDiagnostics(document);
  }

  hover(uri: string, position: Position): Hover | undefined {
    return this.#at(uri, position, findHover);
  }

  completions(uri: string, position: Position): readonly CompletionItem[] {
    return this.#at(uri, position, findCompletions) ?? [];
  }

  signature(uri: string, position: Position): SignatureHelp | undefined {
    return this.#at(uri, position, findSignature);
  }

  definition(uri: string, position: Position): Location | undefined {
    return this.#at(uri, position, findDefinition);
  }

  symbols(uri: string): readonly DocumentSymbol[] {
    const document = this.#open.get(uri);
    return document === undefined ? [] : findSymbols(document);
  }

  foldings(uri: string): readonly FoldingRange[] {
    const document = this.#open.get(uri);
    return document === undefined ? [] : findFoldings(document);
  }

  prepareRename(uri: string, position: Position): Range | undefined {
    return this.#at(uri, position, prepareRename);
  }

  /** @throws ResponseError `RequestFailed` if the variable cannot have the name. */
  rename(uri: string, position: Position, name: string): WorkspaceEdit | undefined {
    const edits = this.#at(uri, position, (document, offset) => rename(document, offset, name));
    return edits === undefined ? undefined : { changes: { [uri]: [...edits] } };
  }

  format(uri: string): readonly TextEdit[] {
    const document = this.#open.get(uri);
    return document === undefined ? [] : formatDocument(document);
  }

  #at<Result>(
    uri: string,
    position: Position,
    find: (document: LanguageDocument, offset: number) => Result,
  ): Result | undefined {
    const document = this.#open.get(uri);
    return document === undefined ? undefined : find(document, document.offsetAt(position));
  }

  #set(source: TextDocument, previous?: LanguageDocument): void {
    const { uri } = source;
    this.#open.set(uri, new LanguageDocument(source, toPath(uri), this.#context, previous));
    this.#context.files.invalidate();
    // Other documents may load this one, or name it as their script.
    for (const [other, document] of this.#open) if (other !== uri) this.#renew(other, document);
  }

  #renew(uri: string, document: LanguageDocument): void {
    this.#open.set(
      uri,
      new LanguageDocument(document.source, document.path, this.#context, document),
    );
  }

  #openAt(path: string): LanguageDocument | undefined {
    for (const document of this.#open.values()) if (document.path === path) return document;
    return undefined;
  }

  #documentAt(path: string): LanguageDocument | undefined {
    const open = this.#openAt(path);
    if (open !== undefined) return open;
    const stats = statSync(path, { throwIfNoEntry: false });
    const stamp = `${stats?.mtimeMs} ${stats?.size}`;
    const known = this.#stored.get(path);
    if (known?.stamp === stamp) return known.document;
    const text = this.#context.files.read(path);
    if (text === undefined) return undefined;
    const language = path.endsWith(".star") ? "starlark" : "markdown";
    const source = TextDocument.create(pathToFileURL(path).href, language, 0, text);
    const document = new LanguageDocument(source, path, this.#context);
    if (this.#stored.size >= maxCachedFiles) this.#stored.clear();
    this.#stored.set(path, { stamp, document });
    return document;
  }
}

/** The path of a document; of one that is no file, the path of its URI. */
function toPath(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    const path = uri.replace(/^[\w+.-]+:(?:\/\/[^/]*)?/, "");
    try {
      return decodeURIComponent(path);
    } catch {
      return path;
    }
  }
}
