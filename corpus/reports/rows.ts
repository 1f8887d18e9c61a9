import { readFile, readdir } from "node:fs/promises";
import type { ToolOutcome } from "@toolweave/core";
import { load } from "js-yaml";

/** The part of a reported case that every table has. */
export interface Report {
  /** The public reports, as `project#number`, or `neighbour of` one. */
  readonly report: string;
  /** Whether it was right when it was first tried. */
  readonly verdict: "fixed" | "right";
  readonly is: string;
  /** The source of the right value. */
  readonly by: string;
  /** Texts of the content for the model. */
  readonly text?: readonly string[];
  /** Texts that the content does not contain. */
  readonly lacks?: readonly string[];
  /** Texts of the error. */
  readonly refuses?: readonly string[];
}

/** A row with its place. */
export interface Placed<Row> {
  readonly table: string;
  readonly index: number;
  readonly row: Row;
}

/** The rows of all tables in a folder beside this file. */
export async function readRows<Row extends Report>(name: string): Promise<Placed<Row>[]> {
  const folder = new URL(`${name}/`, import.meta.url);
  const files = (await readdir(folder)).toSorted();
  const tables = await Promise.all(
    files.map(async (file) => {
      const rows = load(await readFile(new URL(file, folder), "utf8")) as Row[];
      return rows.map((row, index) => ({ table: file.replace(".yaml", ""), index, row }));
    }),
  );
  return tables.flat();
}

/** The rows without a name of their own, a report, a verdict or a source. */
export function findIncomplete(rows: readonly Placed<Report>[]): string[] {
  const names = rows.map(({ row }) => row.is);
  return rows
    .filter(
      ({ row }) =>
        names.filter((name) => name === row.is).length > 1 ||
        !/^[\w.-]+(?:\/[\w.-]+)?(?:#| )/.test(row.report) ||
        !["fixed", "right"].includes(row.verdict) ||
        row.by === "",
    )
    .map(({ row }) => row.is);
}

/** The content of a result: texts, and other blocks as JSON. */
function readText(outcome: ToolOutcome): string {
  if (outcome.status === "interrupted") return "";
  const texts = outcome.result.content.map((block) =>
    block.type === "text" ? block.text : JSON.stringify(block),
  );
  return texts.join("\n");
}

/** The texts that `text` contains; without all of them, `text` itself. */
function findTexts(text: string, texts: readonly string[]): readonly string[] {
  return texts.every((one) => text.includes(one)) ? texts : [text];
}

/** The expectations of a row about what a model reads, as they were observed. */
export function observeText(row: Report, text: string): Pick<Report, "text" | "lacks"> {
  return {
    ...(row.text === undefined ? {} : { text: findTexts(text, row.text) }),
    ...(row.lacks === undefined ? {} : { lacks: row.lacks.filter((one) => !text.includes(one)) }),
  };
}

/** The expectations of a row about the content of a result, as they were observed. */
export function observeContent(row: Report, outcome: ToolOutcome): Partial<Report> {
  const text = readText(outcome);
  const isError = outcome.status !== "interrupted" && outcome.result.isError;
  return {
    ...observeText(row, text),
    ...(isError ? { refuses: findTexts(text, row.refuses ?? ["a result without an error"]) } : {}),
  };
}

/** The members of a row that state what is expected, without those that are absent. */
export function pickPresent<Row extends object>(
  row: Row,
  names: readonly (keyof Row)[],
): Partial<Row> {
  const present = names.filter((name) => row[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, row[name]])) as Partial<Row>;
}
