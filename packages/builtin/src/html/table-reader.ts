import { once } from "./element-kinds.ts";
import {
  joinBlocks,
  MarkdownWriter,
  type MarkdownBlock,
  type WriteBudget,
} from "./markdown-writer.ts";
import type { Attributes, EndAction } from "./read-elements.ts";

/** Tables inside of each other. Deeper ones are read as text. */
const maxTables = 4;

/** Columns beyond these make a table unreadable as Markdown: its rows are written as lines. */
const maxColumns = 50;
/** Cells of a table without heads that are longer and have many blocks arrange a page. */
const maxCell = 1_000;
const maxCellBlocks = 3;
/** HTML 4.9.11: a larger span is read as this one. */
const maxRowSpan = 65_534;

type Cell = readonly MarkdownBlock[];

/** Has the writer of the page, or of the cell that is open. */
interface WriterHolder {
  writer: MarkdownWriter;
}

/** The tables of a page that are open. */
export class PageTables {
  readonly #page: WriterHolder;
  readonly #budget: WriteBudget;
  readonly #tables: TableReader[] = [];

  /** @param page whose writer is that of a cell while one is open. */
  constructor(page: WriterHolder, budget: WriteBudget) {
    this.#page = page;
    this.#budget = budget;
  }

  get isOpen(): boolean {
    return this.#tables.length > 0;
  }

  open(attributes: Attributes): EndAction {
    const outer = this.#page.writer;
    if (this.#tables.length >= maxTables) return () => outer.endBlock();
    outer.endBlock();
    const table = new TableReader(attributes);
    this.#tables.push(table);
    return () => {
      this.#tables.pop();
      table.endCell();
      this.#page.writer = outer;
      table.writeTo(outer);
    };
  }

  /** Begins a group of rows, a row, a cell or a caption. */
  openPart(name: string, attributes: Attributes): EndAction {
    const table = this.#tables.at(-1);
    const outer = this.#page.writer;
    if (table === undefined) {
      outer.endBlock();
      return () => this.#page.writer.endBlock();
    }
    table.endCell();
    if (name.startsWith("t") && name.length > 2) {
      table.openGroup(name);
      return () => table.endGroup();
    }
    if (name === "tr") {
      table.openRow();
      return undefined;
    }
    return this.#openCell(table, name, attributes);
  }

  #openCell(table: TableReader, name: string, attributes: Attributes): EndAction {
    const page = this.#page;
    const outer = page.writer;
    const cell = new MarkdownWriter(this.#budget);
    cell.frame = outer.frame;
    page.writer = cell;
    table.endCell = once(() => {
      page.writer = outer;
      cell.endBlock();
      if (name === "caption") table.addCaption(joinBlocks(cell.blocks));
      else table.addCell(cell.blocks, name === "th", attributes);
    });
    return table.endCell;
  }
}

/** The cells of one table. */
class TableReader {
  #caption = "";
  /** Ends the cell that is open: its end tag is optional. */
  endCell: () => void = () => {};
  /** The cells at their columns; those that are covered by others are empty. */
  readonly #rows: Cell[][] = [];
  /** For each column, the number of rows that a cell above covers, with the current one. */
  #covered: number[] = [];
  /** For each row, -1 in the head of the table, 1 in its foot, and 0 elsewhere. */
  readonly #places: number[] = [];
  #place = 0;
  readonly #groups = new Set<string>();
  #hasHeads = false;
  readonly #isLayout: boolean;
  #cells = 0;
  #blanks = 0;

  /** @param attributes of the table: the roles `presentation` and `none` say that it arranges a page. */
  constructor({ role }: Attributes) {
    this.#isLayout = role === "presentation" || role === "none";
  }

  /**
   * Begins a `thead`, `tbody` or `tfoot`, into which no cell of the group before it continues. The first head and the
   * first foot are displayed above and below the others, wherever they are (CSS 2.2, 17.2).
   */
  openGroup(name: string): void {
    this.#covered = [];
    if (name === "thead") this.#hasHeads = true;
    this.#place = this.#groups.has(name) ? 0 : name === "thead" ? -1 : name === "tfoot" ? 1 : 0;
    this.#groups.add(name);
  }

  endGroup(): void {
    this.#covered = [];
    this.#place = 0;
  }

  addCaption(text: string): void {
    this.#caption += this.#caption === "" ? text : `\n\n${text}`;
  }

  openRow(): void {
    this.#rows.push([]);
    this.#places.push(this.#place);
    this.#covered = this.#covered.map((rows) => Math.max(0, rows - 1));
  }

  /** Adds a cell at the first free column of the current row, as HTML 4.9.12 does. */
  addCell(blocks: Cell, isHead: boolean, { colspan, rowspan }: Attributes): void {
    if (this.#rows.length === 0) this.openRow();
    const row = this.#rows.at(-1) ?? [];
    if (isHead) this.#hasHeads = true;
    this.#cells += 1;
    while ((this.#covered[row.length] ?? 0) > 0 && this.#addBlank(row));
    const column = row.length;
    row.push(blocks);
    const end = Math.min(column + readSpan(colspan, 1_000, 1), maxColumns);
    while (row.length < end && this.#addBlank(row));
    const rows = readSpan(rowspan, maxRowSpan, maxRowSpan);
    for (let index = column; rows > 1 && index < end; index++) this.#covered[index] = rows;
  }

  /** Adds a covered cell. They are a bounded part of a table: further spans of a hostile one are ignored. */
  #addBlank(row: Cell[]): boolean {
    this.#blanks += 1;
    if (this.#blanks > 4 * this.#cells + 1_000) {
      this.#covered = [];
      return false;
    }
    row.push([]);
    return true;
  }

  /** Writes a table of GitHub's Markdown, or, for one that only arranges a page, the content of its cells. */
  writeTo(writer: MarkdownWriter): void {
    if (this.#caption !== "") writer.block(this.#caption, this.#caption.length);
    const rows = [-1, 0, 1]
      .flatMap((place) => this.#rows.filter((_, index) => this.#places[index] === place))
      .filter((row) => row.some((cell) => cell.length > 0));
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
    if (columns < 2 || this.#arrangesPage()) {
      const outer = writer.frame;
      for (const { text, plain, frame } of rows.flat(2)) {
        writer.frame = frame;
        writer.block(text, plain);
      }
      writer.frame = outer;
      return;
    }
    const plain = rows.flat(2).reduce((sum, block) => sum + block.plain, 0);
    if (columns > maxColumns) {
      writer.block(rows.map((row) => row.map(toCell).join(" | ")).join("\n"), plain);
      return;
    }
    // A row that is shorter than the first one is complete; the first one has all columns.
    const [first = [], ...rest] = rows;
    const head = [...first, ...Array.from({ length: columns - first.length }, () => [])];
    const rule = `| ${head.map(() => "---").join(" | ")} |`;
    writer.block([toRow(head), rule, ...rest.map(trimRow).map(toRow)].join("\n"), plain);
  }

  /** A table with heads has data, however long its cells are. */
  #arrangesPage(): boolean {
    if (this.#isLayout) return true;
    if (this.#hasHeads || this.#caption !== "") return false;
    return this.#rows.some((row) => row.some(isPageCell));
  }
}

/** @param none the value of 0, which means "to the end of the group" for rows. */
function readSpan(text: string | undefined, max: number, none: number): number {
  const digits = /^\s{0,20}\+?(\d{1,10})/.exec(text ?? "")?.[1];
  if (digits === undefined) return 1;
  return Number(digits) === 0 ? none : Math.min(Number(digits), max);
}

/** Whether a cell has content that is a part of a page: headings, code, a table, or a long text. */
function isPageCell(cell: Cell): boolean {
  const length = cell.reduce((sum, { text }) => sum + text.length, 0);
  if (length > maxCell && cell.length > maxCellBlocks) return true;
  return cell.some(({ text }) => /^(?:#{1,6} |```|\|)/.test(text));
}

function trimRow(row: readonly Cell[]): readonly Cell[] {
  return row.slice(0, row.findLastIndex((cell) => cell.length > 0) + 1);
}

function toRow(cells: readonly Cell[]): string {
  return `| ${cells.map(toCell).join(" | ")} |`;
}

/** A cell on one line: `<br>` is between its lines. */
function toCell(cell: Cell): string {
  if (cell.length === 0) return "";
  const text = cell.some(isFence) ? cell.map(toCellText).join("\n") : joinBlocks(cell);
  return text.replace(/\n+/g, "<br>").replaceAll("|", "\\|");
}

function isFence({ text }: MarkdownBlock): boolean {
  return text.startsWith("```");
}

/** Lines of code as code within a line. */
function toCellText(block: MarkdownBlock): string {
  if (!isFence(block)) return block.text;
  return block.text
    .split("\n")
    .slice(1, -1)
    .map((line) =>
      line.trim() === "" ? "" : line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``,
    )
    .join("\n");
}
