import type { JsonObject, JsonValue } from "@toolweave/core";
import type { HostValue } from "@toolweave/starlark";
import type { BuiltinArguments, BuiltinFunction, BuiltinParameter } from "./builtin.ts";
import { effectFunctions, optional, required, type FunctionDefinition } from "./define.ts";
import { toJsonObject, toJsonValue } from "./to-json.ts";

const path: BuiltinParameter = required("path", "str", "Relative to the workspace.");

/** The arguments without those that are `None`, as JSON. */
function toArguments(args: BuiltinArguments): JsonObject {
  const entries = Object.entries(args).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, toJsonValue(value, name)]));
}

/** A function that calls a local tool with its own arguments, and returns a part of the result. */
function direct(
  tool: string,
  definition: Omit<FunctionDefinition, "call">,
  result: (value: JsonObject) => JsonValue = (value) => value,
): FunctionDefinition {
  return {
    ...definition,
    call: async (args, scope) =>
      result((await scope.effect(tool, toArguments(args))) as JsonObject) as HostValue,
  };
}

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

const exec = effectFunctions("exec", {
  run: direct("exec_run", {
    doc: "Runs a program in the workspace, without a shell, and waits for its end. Each argument arrives as it is written. A program that fails is a normal result with ok False.",
    parameters: [
      required("cmd", "str"),
      optional("args", "list", []),
      optional("timeout_ms", "int", 30_000),
      optional("dir", "str", null, "Relative to the workspace."),
      optional("stdin", "str", null),
      optional("env", "dict", null),
    ],
    returns: "dict",
    capability: "process",
  }),
});

const fs = effectFunctions("fs", {
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

const url: BuiltinParameter = required("url", "str", "http or https.");
const requestOptions: readonly BuiltinParameter[] = [
  optional("headers", "dict", null),
  optional("timeout_ms", "int", 30_000),
  optional("auth", "str", null, "The name of a credential of the host."),
];

function request(method: string | undefined, doc: string, hasBody: boolean): FunctionDefinition {
  const body = [optional("body", "str", null), optional("json", "any", null)];
  return {
    doc,
    parameters: [
      ...(method === undefined ? [required("method", "str")] : []),
      url,
      ...(hasBody ? body : []),
      ...requestOptions,
    ],
    returns: "dict",
    capability: "network",
    call: async ({ json, ...args }, scope) => {
      const given = toArguments(args);
      const sent = json === null || json === undefined ? {} : toSent(json);
      const all = { ...(method === undefined ? {} : { method }), ...given, ...sent };
      return (await scope.effect("http_send", all)) as HostValue;
    },
  };
}

/** A JSON value as a body. */
function toSent(json: HostValue): JsonObject {
  return { body: JSON.stringify(toJsonValue(json, "json")) };
}

const answer = "Returns {status, ok, url, headers, body}; the names of headers are in lower case.";

const http = effectFunctions("http", {
  get: request("GET", `Sends a GET request. ${answer}`, false),
  post: request("POST", `Sends a POST request with a text or a JSON value. ${answer}`, true),
  request: request(undefined, `Sends a request with any method. ${answer}`, true),
});

const delegate = effectFunctions("delegate", {
  delegate: {
    doc: "Gives a task to a sub-agent and returns its answer as text.",
    parameters: [required("task", "str"), optional("agent", "str", null)],
    returns: "str",
    capability: "delegate",
    call: async ({ task, agent }, scope) => {
      const name = agent === null ? "delegate" : (agent as string);
      return (await scope.effect(name, { task: task as string })) as HostValue;
    },
  },
});

const tools = effectFunctions("meta", {
  call_tool: {
    doc: "Calls a tool that this one may call. Returns {ok, value} or {ok, error, code}; a refused call ends the script.",
    parameters: [required("name", "str"), optional("args", "dict", null)],
    returns: "dict",
    capability: "tools",
    call: async ({ name, args }, scope) => {
      const { ok, value, error, code } = await scope.callTool(
        name as string,
        toJsonObject(args, "args"),
      );
      return (ok ? { ok, value } : { ok, error, code, value }) as HostValue;
    },
  },
  list_tools: {
    doc: "The tools that call_tool may call: {name, description} of each.",
    returns: "list",
    call: (_, scope) => scope.listTools() as HostValue,
  },
});

const registration = { capability: "meta", returns: "None" } as const;

function register(
  kind: "tool" | "hook",
  parameters: readonly BuiltinParameter[],
): FunctionDefinition {
  return {
    doc: `Registers a ${kind} for the rest of this run, once a person has approved it.`,
    parameters: [required("name", "str"), ...parameters],
    ...registration,
    call: async (args, scope) => {
      await scope.effect("meta_register", { kind, definition: toArguments(args) });
      return null;
    },
  };
}

const newTool = register("tool", [
  required("script", "str"),
  optional("description", "str", null),
  optional("parameters", "dict", null),
  optional("timeout_ms", "int", null),
]);
const newHook = register("hook", [
  required("event", "str"),
  required("script", "str"),
  optional("when", "str", null),
  optional("priority", "int", null),
]);
const registrations = effectFunctions("meta", {
  tool_register: newTool,
  register_tool: newTool,
  hook_register: newHook,
  register_hook: newHook,
});

/** The functions that reach files, programs, the network and other tools. */
export const effects: readonly BuiltinFunction[] = [
  ...exec,
  ...fs,
  ...http,
  ...delegate,
  ...tools,
  ...registrations,
];
