import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import type { MarkupContent, Position, TextEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { LanguageService } from "../../src/lsp/service.ts";
import { testFunctions } from "../../src/testing/test-functions.ts";

/** The place of the cursor in a text. */
const cursor = "┃";

/** A folder with files and a language service. */
export interface Workspace {
  readonly service: LanguageService;
  /** Writes a file, and returns its URI. */
  write(name: string, text: string): string;
  /** Opens a file; a cursor in the text is taken out. */
  open(name: string, text: string): Opened;
}

/** An open document, and the position of its cursor. */
interface Opened {
  readonly uri: string;
  readonly text: string;
  readonly at: Position;
  position(part: string, offset?: number): Position;
  /** The text after edits. */
  apply(edits: readonly TextEdit[]): string;
  labels(at?: Position): readonly string[];
  hover(at?: Position): string | undefined;
}

export function workspace(): Workspace {
  const folder = tempFolder();
  const service = new LanguageService(testFunctions);
  const toUri = (name: string): string => pathToFileURL(join(folder, name)).href;
  return {
    service,
    write(name, text) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return toUri(name);
    },
    open(name, marked) {
      const uri = toUri(name);
      const text = marked.replace(cursor, "");
      const offset = Math.max(marked.indexOf(cursor), 0);
      const document = TextDocument.create(uri, "", 1, text);
      service.open(uri, name.endsWith(".star") ? "starlark" : "markdown", 1, text);
      const at = document.positionAt(offset);
      return {
        uri,
        text,
        at,
        position: (part, more = 0) => document.positionAt(text.indexOf(part) + more),
        apply: (edits) => TextDocument.applyEdits(document, [...edits]),
        labels: (position = at) => service.completions(uri, position).map(({ label }) => label),
        hover: (position = at) =>
          (service.hover(uri, position)?.contents as MarkupContent | undefined)?.value,
      };
    },
  };
}

/** A tool with a script, in a folder where files are tools. */
export function toolText(script: string, front = ""): string {
  return `---\n${front}script: |\n${script.replace(/^(?=.)/gm, "  ")}\n---\nText.\n`;
}
