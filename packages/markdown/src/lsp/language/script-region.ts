import type { Dialect } from "@toolweave/starlark";
import type { ScriptKind } from "../../builtins/builtin.ts";

/** One line of a script and of its document, by their first characters. */
interface RegionLine {
  readonly script: number;
  readonly document: number;
  /** The start of the line in the document, before its indentation. */
  readonly start: number;
  readonly length: number;
}

/** How the text of a region is run. */
export interface RegionOptions {
  readonly kind: ScriptKind;
  readonly dialect?: Dialect;
  /** Names beside the built-in ones: `event` and `payload` of a condition. */
  readonly names?: readonly string[];
  /** The way to the map of front matter that the script belongs to; absent: a file of its own. */
  readonly owner?: readonly (string | number)[];
}

/**
 * The text of one script within a document. A script of front matter is indented there, so that each line has an offset of
 * its own.
 */
export class ScriptRegion {
  readonly text: string;
  readonly options: RegionOptions;
  /** The first and the last offset in the document, the indentation of the first line included. */
  readonly range: readonly [number, number];
  readonly #lines: readonly RegionLine[];

  private constructor(
    text: string,
    lines: readonly RegionLine[],
    range: readonly [number, number],
    options: RegionOptions,
  ) {
    this.text = text;
    this.range = range;
    this.options = options;
    this.#lines = lines;
  }

  /** A whole document. Line breaks become `\n`; a byte order mark is left out. */
  static ofDocument(document: string, options: RegionOptions): ScriptRegion {
    return ScriptRegion.ofLines(document, [0, document.length], 0, options);
  }

  /**
   * The lines between two offsets, each without its indentation.
   *
   * @param indentation the number of blanks that each line loses, at most as many as it has.
   */
  static ofLines(
    document: string,
    [start, end]: readonly [number, number],
    indentation: number,
    options: RegionOptions,
  ): ScriptRegion {
    const lines: RegionLine[] = [];
    const texts: string[] = [];
    let script = 0;
    for (let at = start; at <= end;) {
      const next = document.indexOf("\n", at);
      const lineEnd = next === -1 || next > end ? end : next;
      let from = at === 0 && document.startsWith("\uFEFF") ? 1 : at;
      for (let count = 0; count < indentation && document[from] === " " && from < lineEnd; count++)
        from++;
      const to = document[lineEnd - 1] === "\r" && lineEnd > from ? lineEnd - 1 : lineEnd;
      texts.push(document.slice(from, to));
      lines.push({ script, document: from, start: at, length: to - from });
      script += to - from + 1;
      at = lineEnd + 1;
      if (lineEnd === end) break;
    }
    return new ScriptRegion(texts.join("\n"), lines, [start, end], options);
  }

  /** The offset in the document of an offset in the script. */
  toDocument(offset: number): number {
    const line = this.#find(offset, "script");
    return line.document + Math.min(offset - line.script, line.length);
  }

  /** The offset in the script of an offset in the document, of the nearest character of its line. */
  toScript(offset: number): number {
    const line = this.#find(offset, "start");
    return line.script + Math.min(Math.max(offset - line.document, 0), line.length);
  }

  /** Whether an offset of the document is within the region, indentation included. */
  contains(offset: number): boolean {
    return offset >= this.range[0] && offset <= this.range[1];
  }

  #find(offset: number, key: "script" | "start"): RegionLine {
    let low = 0;
    let high = this.#lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lines[middle] as RegionLine)[key] <= offset) low = middle;
      else high = middle - 1;
    }
    return this.#lines[low] as RegionLine;
  }
}
