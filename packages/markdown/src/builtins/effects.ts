import type { JsonObject } from "@toolweave/core";
import type { HostValue } from "@toolweave/starlark";
import type { BuiltinFunction, BuiltinParameter } from "./builtin.ts";
import {
  direct,
  effectFunctions,
  optional,
  required,
  toArguments,
  type FunctionDefinition,
} from "./define.ts";
import { files } from "./files.ts";
import { toJsonObject, toJsonValue } from "./to-json.ts";

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
  ...files,
  ...http,
  ...delegate,
  ...tools,
  ...registrations,
];
