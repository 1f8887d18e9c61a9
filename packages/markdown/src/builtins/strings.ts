import type { HostValue } from "@toolweave/starlark";
import type { BuiltinFunction, BuiltinParameter } from "./builtin.ts";
import { optional, pureFunctions, required, type FunctionDefinition } from "./define.ts";
import { fault } from "./fault.ts";

const text: BuiltinParameter = required("text", "str");

/** The maximum number of characters that padding adds. */
const maxWidth = 1_000_000;

function ofText(
  doc: string,
  apply: (text: string) => string,
  parameters: readonly BuiltinParameter[] = [],
): FunctionDefinition {
  return {
    doc,
    parameters: [text, ...parameters],
    returns: "str",
    call: (args) => apply(args["text"] as string),
  };
}

function pad(doc: string, isLeft: boolean): FunctionDefinition {
  return {
    doc,
    parameters: [text, required("width", "int"), optional("fill", "str", " ")],
    returns: "str",
    call: (args) => {
      const given = args["text"] as string;
      const missing = Number(args["width"]) - [...given].length;
      const fill = args["fill"] as string;
      if ([...fill].length !== 1) throw fault("string: fill is one character");
      if (missing > maxWidth) throw fault(`string: width is at most ${maxWidth}`);
      const padding = fill.repeat(Math.max(0, missing));
      return isLeft ? padding + given : given + padding;
    },
  };
}

/** `string`: functions that count characters, where the methods of strings count bytes. */
const string = pureFunctions("string", {
  truncate: {
    doc: "At most max_length characters of a text. A longer one ends with the suffix, which counts.",
    parameters: [text, required("max_length", "int"), optional("suffix", "str", "…")],
    returns: "str",
    call: (args) => {
      const characters = [...(args["text"] as string)];
      const max = Math.max(0, Number(args["max_length"]));
      if (characters.length <= max) return args["text"];
      const suffix = [...(args["suffix"] as string)].slice(0, max);
      return [...characters.slice(0, max - suffix.length), ...suffix].join("");
    },
  },
  len: {
    doc: "The number of characters.",
    parameters: [text],
    returns: "int",
    call: (args) => [...(args["text"] as string)].length,
  },
  slice: {
    doc: "The characters from start to before end.",
    parameters: [text, required("start", "int"), optional("end", "int", null)],
    returns: "str",
    call: ({ text: given, start, end }) =>
      [...(given as string)].slice(Number(start), end === null ? undefined : Number(end)).join(""),
  },
  upper: ofText("All letters in upper case.", (given) => given.toUpperCase()),
  lower: ofText("All letters in lower case.", (given) => given.toLowerCase()),
  trim: ofText("The text without white space at both ends.", (given) => given.trim()),
  split: {
    doc: "The parts between the separators.",
    parameters: [text, optional("separator", "str", " ")],
    returns: "list",
    call: ({ text: given, separator }) => {
      if (separator === "") throw fault("string.split: separator is empty");
      return (given as string).split(separator as string);
    },
  },
  join: {
    doc: "The texts with the separator between them.",
    parameters: [required("items", "list"), optional("separator", "str", "")],
    returns: "str",
    call: ({ items, separator }) => {
      const texts = items as readonly HostValue[];
      if (!texts.every((item) => typeof item === "string"))
        throw fault("string.join: items holds a value that is no str");
      return texts.join(separator as string);
    },
  },
  pad_left: pad("The text with fill before it, as long as width.", true),
  pad_right: pad("The text with fill after it, as long as width.", false),
});

/** `template.render`: the placeholders of a text, replaced. */
const template = pureFunctions("template", {
  render: {
    doc: "A text with each name between two pairs of braces replaced by its value; a.b is a member of a. An unknown name is an error.",
    parameters: [text, required("values", "dict")],
    returns: "str",
    call: ({ text: given, values }) =>
      (given as string).replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (_, path: string) => {
        let value: HostValue = values;
        for (const key of path.split(".")) {
          const isMember: boolean =
            typeof value === "object" && value !== null && Object.hasOwn(value, key);
          if (!isMember) throw fault(`template.render: there is no value for {{${path}}}`);
          value = (value as Readonly<Record<string, HostValue>>)[key];
        }
        return typeof value === "string" ? value : JSON.stringify(value);
      }),
  },
});

/** The functions that work on texts. */
export const strings: readonly BuiltinFunction[] = [...string, ...template];
