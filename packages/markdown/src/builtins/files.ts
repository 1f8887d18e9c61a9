import type { JsonObject, JsonValue } from "@toolweave/core";
import type { BuiltinArguments, BuiltinFunction, BuiltinParameter } from "./builtin.ts";
import {
  direct,
  effectFunctions,
  optional,
  required,
  toArguments,
  type FunctionDefinition,
} from "./define.ts";

const path: BuiltinParameter = required("path", "str", "Relative to the workspace.");

/** A function that changes the lines of a file. */
function editLines(
  doc: string,
  parameters: readonly BuiltinParameter[],
  toLines: (args: BuiltinArguments) => JsonObject,
): FunctionDefinition {
  return {
    doc,
    parameters: [path, ...parameters],
    returns: "None",
    capability: "fs.write",
    call: async (args, scope) => {
      await scope.effect("fs_edit", { path: args["path"] as string, lines: toLines(args) });
      return null;
    },
  };
}

function replaceText(doc: string, all: boolean): FunctionDefinition {
  return {
    doc,
    parameters: [path, required("old", "str"), required("new", "str")],
    returns: "int",
    capability: "fs.write",
    call: async (args, scope) => {
      const edit = { old: args["old"] as string, new: args["new"] as string, all };
      const value = await scope.effect("fs_edit", { path: args["path"] as string, edits: [edit] });
      return (value as JsonObject)["replacements"] as number;
    },
  };
}

async function readLines(args: BuiltinArguments, scope: Parameters<FunctionDefinition["call"]>[1]) {
  const value = (await scope.effect("fs_read", { path: args["path"] as string })) as JsonObject;
  const text = value["text"] as string;
  const lines = text.split(/\r\n|\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const none = (): null => null;
const readsFile = { capability: "fs.read" } as const;
const writesFile = { capability: "fs.write" } as const;

/** The functions of `fs`: each is a call of a local tool of the workspace. */
export const files: readonly BuiltinFunction[] = effectFunctions("fs", {
  read: direct(
    "fs_read",
    { doc: "The text of a file.", parameters: [path], returns: "str", ...readsFile },
    (value) => value["text"] as string,
  ),
  write: direct(
    "fs_write",
    {
      doc: "Writes a whole file. Folders are created as needed.",
      parameters: [path, required("content", "str")],
      returns: "None",
      ...writesFile,
    },
    none,
  ),
  append: {
    doc: "Adds text to the end of a file, which is created if there is none.",
    parameters: [path, required("content", "str")],
    returns: "None",
    ...writesFile,
    call: async (args, scope) => {
      await scope.effect("fs_write", { ...toArguments(args), mode: "append" });
      return null;
    },
  },
  exists: direct(
    "fs_stat",
    { doc: "Whether a path exists.", parameters: [path], returns: "bool", ...readsFile },
    (value) => value["exists"] as boolean,
  ),
  stat: direct("fs_stat", {
    doc: "What a path is: {exists, is_file, is_dir, size, modified_ms}.",
    parameters: [path],
    returns: "dict",
    ...readsFile,
  }),
  list: direct(
    "fs_list",
    {
      doc: "The members of a folder in order of name: {name, is_file, is_dir, size} of each.",
      parameters: [optional("path", "str", ".")],
      returns: "list",
      ...readsFile,
    },
    (value) => value["entries"] as JsonValue,
  ),
  glob: direct(
    "fs_glob",
    {
      doc: "The paths that match a glob such as **/*.md, in order.",
      parameters: [required("pattern", "str"), optional("path", "str", ".")],
      returns: "list",
      ...readsFile,
    },
    (value) => value["paths"] as JsonValue,
  ),
  find: direct(
    "fs_find",
    {
      doc: "The lines that contain a text or match a regular expression: {path, line, text} of each.",
      parameters: [
        required("pattern", "str"),
        optional("path", "str", "."),
        optional("glob", "str", null),
        optional("max", "int", 1000),
      ],
      returns: "list",
      ...readsFile,
    },
    (value) => value["matches"] as JsonValue,
  ),
  read_lines: {
    doc: "The lines of a file without their ends, from start to end; both count from 1 and are included.",
    parameters: [path, optional("start", "int", 1), optional("end", "int", null)],
    returns: "list",
    ...readsFile,
    call: async (args, scope) => {
      const lines = await readLines(args, scope);
      return lines.slice(
        Math.max(0, Number(args["start"]) - 1),
        (args["end"] ?? undefined) as number,
      );
    },
  },
  line_count: {
    doc: "The number of lines of a file.",
    parameters: [path],
    returns: "int",
    ...readsFile,
    call: async (args, scope) => (await readLines(args, scope)).length,
  },
  mkdir: direct(
    "fs_mkdir",
    {
      doc: "Creates a folder, and those around it.",
      parameters: [path],
      returns: "None",
      ...writesFile,
    },
    none,
  ),
  remove: direct(
    "fs_remove",
    {
      doc: "Removes a file, or a folder with recursive=True.",
      parameters: [path, optional("recursive", "bool", false)],
      returns: "None",
      ...writesFile,
    },
    none,
  ),
  copy: direct(
    "fs_copy",
    {
      doc: "Copies a file.",
      parameters: [required("from", "str"), required("to", "str")],
      returns: "None",
      ...writesFile,
    },
    none,
  ),
  move: direct(
    "fs_move",
    {
      doc: "Moves a file.",
      parameters: [required("from", "str"), required("to", "str")],
      returns: "None",
      ...writesFile,
    },
    none,
  ),
  replace: replaceText("Replaces the one place of a file that has a text. Returns 1.", false),
  replace_all: replaceText(
    "Replaces every place of a file that has a text. Returns their number.",
    true,
  ),
  insert_at: editLines(
    "Inserts text before a line; lines count from 1.",
    [required("line", "int"), required("text", "str")],
    ({ line, text }) => ({ start: line as number, end: Number(line) - 1, insert: text as string }),
  ),
  replace_lines: editLines(
    "Replaces the lines from start to end; both count from 1 and are included.",
    [required("start", "int"), required("end", "int"), required("text", "str")],
    ({ start, end, text }) => ({
      start: start as number,
      end: end as number,
      insert: text as string,
    }),
  ),
  delete_lines: editLines(
    "Deletes the lines from start to end; both count from 1 and are included.",
    [required("start", "int"), required("end", "int")],
    ({ start, end }) => ({ start: start as number, end: end as number }),
  ),
  diff: direct(
    "fs_diff",
    {
      doc: "The differences between a file and another one, or a text, as a unified diff.",
      parameters: [path, optional("other", "str", null), optional("text", "str", null)],
      returns: "str",
      ...readsFile,
    },
    (value) => value["diff"] as string,
  ),
});
