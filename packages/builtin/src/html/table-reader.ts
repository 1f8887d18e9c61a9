import { joinBlocks, type MarkdownBlock, type MarkdownWriter } from "./markdown-writer.ts";

/** Columns beyond these make a table unreadable as Markdown: its cells are written one after the other. */
const maxColumns = 50;
const maxCell = 1_000;

/** The cells of one table. */
export class TableReader {
  caption = "";
  /** Ends the cell that is open: its end tag is optional. */
  endCell: () => void = () => {};
  readonly #rows: (readonly MarkdownBlock[])[][] = [];

  openRow(): void {
    this.#rows.push([]);
  }

  addCell(blocks: readonly MarkdownBlock[]): void {
    if (this.#rows.length === 0) this.openRow();
    this.#rows.at(-1)?.push(blocks);
  }

  /** Writes a table of GitHub's Markdown, or, for one that only arranges a page, the content of its cells. */
  writeTo(writer: MarkdownWriter): void {
    if (this.caption !== "") writer.block(this.caption);
    const rows = this.#rows.filter((row) => row.length > 0);
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
    const isData = columns > 1 && columns <= maxColumns && rows.flat().every(isLine);
    if (!isData) {
      for (const block of rows.flat(2)) writer.block(block.text);
      return;
    }
    // A row that is shorter than the first one is complete; the first one has all columns.
    const [first = [], ...rest] = rows;
    const head = [...first, ...Array.from({ length: columns - first.length }, () => [])];
    const rule = `| ${head.map(() => "---").join(" | ")} |`;
    writer.block([toRow(head), rule, ...rest.map(toRow)].join("\n"));
  }
}

/** Whether a cell can be written on one line. */
function isLine(cell: readonly MarkdownBlock[]): boolean {
  const length = cell.reduce((sum, { text }) => sum + text.length, 0);
  return length <= maxCell && cell.every(({ text }) => !/^(?:#|```|\|)/.test(text));
}

function toRow(cells: readonly (readonly MarkdownBlock[])[]): string {
  return `| ${cells.map(toCell).join(" | ")} |`;
}

function toCell(cell: readonly MarkdownBlock[]): string {
  return joinBlocks(cell).replace(/\n+/g, " ").replaceAll("|", "\\|");
}
