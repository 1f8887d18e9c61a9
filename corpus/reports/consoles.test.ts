import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { expect, test } from "vitest";
import { runShell } from "../../apps/cli/test/support/run-bin.ts";
import { runCommand } from "../../apps/cli/test/support/run-cli.ts";
import { createFolder } from "../../apps/cli/test/support/tool-module.ts";
import { Form } from "../../apps/studio/src/form/form.ts";
import {
  addItem,
  addMember,
  selectBranch,
  setJson,
  setNull,
} from "../../apps/studio/src/form/model/edit.ts";
import { fieldAt } from "../../apps/studio/src/form/model/field-at.ts";
import {
  itemSchema,
  viewField,
  type FieldView,
} from "../../apps/studio/src/form/model/field-view.ts";
import { initialNode } from "../../apps/studio/src/form/model/initial-node.ts";
import {
  isSameJson,
  literalNode,
  textNode,
  toNumberNode,
} from "../../apps/studio/src/json/node.ts";
import { fromValue } from "../../apps/studio/src/json/write-json.ts";
import { findIncomplete, pickPresent, readRows, type Report } from "./rows.ts";

/** An action of a person in a form. */
interface FormStep {
  /** The path of the field. */
  readonly at?: readonly (string | number)[];
  /** The new text of its control. */
  readonly type?: string;
  /** The value that is selected. */
  readonly pick?: JsonValue;
  /** The index of the kind that is selected. */
  readonly branch?: number;
  /** The value to load as JSON text, without `at`. */
  readonly json?: string;
  readonly press?: "null" | "add" | "remove";
}

/** One reported case, of the command or of a form. */
interface Row extends Report {
  /** The members of the input schema of the tool, or the whole of it. */
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly schema?: JsonSchema;

  /** The words after `toolweave call echo`. The tool prints its arguments. */
  readonly words?: readonly string[];
  readonly stdin?: string;
  /** Default: the output is no terminal. */
  readonly terminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Files in the folder, which `words` name by `{folder}`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Arguments as the tool has received them. */
  readonly arguments?: JsonObject;
  readonly code?: number;
  /** A line of a POSIX shell, instead of `words`; `{folder}` has the tool in `tools.mjs`. */
  readonly shell?: string;

  /** The actions in a form, in order. */
  readonly enters?: readonly FormStep[];
  /** The JSON that the form sends; null: it does not send. */
  readonly sends?: string | null;
  /** The controls of fields by their names. */
  readonly controls?: Readonly<Record<string, string>>;
}

const cases = await readRows<Row>("consoles");

const toSchema = ({ schema, properties = {} }: Row): JsonSchema =>
  schema ?? { type: "object", properties, additionalProperties: false };

/** A module with a tool that answers with its arguments, and one that fails. */
function toolModule(schema: JsonSchema): string {
  const define = (name: string, code: string): string => {
    const spec = {
      name,
      description: "Answers.",
      inputSchema: schema,
      annotations: { readOnlyHint: true },
      provenance: { adapter: "function", source: "code" },
    };
    return `export const ${name} = { spec: ${JSON.stringify(spec)}, invoke: (args) => ${code} };\n`;
  };
  const toText =
    'JSON.stringify(args, (_, value) => typeof value === "bigint" ? `${value}n` : value)';
  return (
    define("echo", `({ content: [{ type: "text", text: ${toText} }] })`) +
    define("fail", '({ content: [{ type: "text", text: "boom: disk full" }], isError: true })') +
    define("big", '({ content: [{ type: "text", text: "x\\n".repeat(100_000) }] })')
  );
}

async function observeCommand(row: Row): Promise<Partial<Row>> {
  const folder = createFolder({ "tools.mjs": toolModule(toSchema(row)), ...row.files });
  const place = (word: string): string => word.replaceAll("{folder}", folder);
  const { words = [], shell } = row;
  const options = pickPresent(row, ["stdin", "terminal", "env"]);
  const argv = ["call", ...words.map(place), "--tools", place("{folder}/tools.mjs")];
  const { code, stdout, stderr } =
    shell === undefined ? await runCommand(argv, options) : await runShell(place(shell));
  const findAll = (texts: readonly string[], text: string): readonly string[] =>
    texts.every((one) => text.includes(one)) ? texts : [text];
  return {
    ...(row.code === undefined ? {} : { code: code ?? -1 }),
    ...(row.arguments === undefined
      ? {}
      : { arguments: code === 0 ? (JSON.parse(stdout) as JsonObject) : { stderr } }),
    ...(row.text === undefined ? {} : { text: findAll(row.text, stdout) }),
    ...(row.lacks === undefined
      ? {}
      : { lacks: row.lacks.filter((one) => !`${stdout}${stderr}`.includes(one)) }),
    ...(row.refuses === undefined ? {} : { refuses: findAll(row.refuses, stderr) }),
  };
}

/** Does one step by what the control of the field does. */
function enter(form: Form, { at, type, pick, branch, json, press }: FormStep): void {
  if (json !== undefined) form.setText(json);
  if (at === undefined) return;
  const { schema, node, path } = fieldAt(form.root, form.value, at);
  expect(path).toEqual(at);
  const view = viewField(form.root, schema, node);
  const isItem = typeof at.at(-1) === "number";
  if (type !== undefined) form.edit(path, (before) => toTyped(view, type, isItem, before));
  if (pick !== undefined) {
    const picked = fromValue(pick);
    const canPick = view.options.some(({ value }) => isSameJson(fromValue(value), picked));
    const isBoolean = view.kind === "boolean" && typeof pick === "boolean";
    if (!canPick && !isBoolean) throw new Error(`${at.join(".")} has no such option`);
    form.edit(path, () => picked);
  }
  if (branch !== undefined) {
    const [choice] = view.choices;
    if (choice === undefined) throw new Error(`${at.join(".")} has no choice`);
    form.edit(path, selectBranch(form.root, choice, branch));
  }
  if (press === "null") form.edit(path, setNull());
  if (press === "remove") form.edit(path, () => undefined);
  if (press === "add" && node?.kind === "array") {
    const item = itemSchema(view, node.items.length);
    form.edit(
      path,
      addItem(() => initialNode(form.root, item)),
    );
  } else if (press === "add") {
    const create = () => initialNode(form.root, schema);
    form.edit(path.slice(0, -1), addMember(String(path.at(-1)), create));
  }
}

/** The value of a control after its text has changed. */
function toTyped(
  { control }: FieldView,
  text: string,
  isItem: boolean,
  before: Parameters<typeof toNumberNode>[1],
): ReturnType<typeof literalNode> | ReturnType<typeof toNumberNode> | undefined {
  if (control === "number") {
    return text === "" && !isItem ? undefined : toNumberNode(text, before);
  }
  if (control === "text") return textNode(text) as never;
  if (control === "json") return setJson(text, !isItem)(before) as never;
  throw new Error(`the control is ${control}`);
}

function observeForm(row: Row): Partial<Row> {
  const form = new Form({ schema: toSchema(row) });
  for (const step of row.enters ?? []) enter(form, step);
  const controls = Object.keys(row.controls ?? {}).map((name) => {
    const { schema, node } = fieldAt(form.root, form.value, name.split("."));
    return [name, viewField(form.root, schema, node).control] as const;
  });
  return {
    ...(row.sends === undefined ? {} : { sends: form.json ?? null }),
    ...(row.controls === undefined ? {} : { controls: Object.fromEntries(controls) }),
    ...(row.refuses === undefined ? {} : { refuses: form.problems.map(({ message }) => message) }),
  };
}

function getExpected(row: Row): Partial<Row> {
  return pickPresent(row, ["arguments", "code", "sends", "controls", "text", "lacks", "refuses"]);
}

test("each row names its reports, its verdict, its source and what is expected", () => {
  expect(findIncomplete(cases)).toEqual([]);
  expect(cases.filter(({ row }) => Object.keys(getExpected(row)).length === 0)).toEqual([]);
});

test.each(cases.map((one) => ({ ...one, is: one.row.is })))(
  "$table: $is",
  async ({ table, row }) => {
    const observed = table === "forms" ? observeForm(row) : await observeCommand(row);
    expect(observed).toEqual(getExpected(row));
  },
);
