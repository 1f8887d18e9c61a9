import type { ScriptKind } from "../builtins/builtin.ts";

/** A fault of a script and the text around it. */
export interface FaultContext {
  readonly message: string;
  /** The line of the fault. */
  readonly line: string;
  /** The characters of the line before the fault. */
  readonly before: string;
  /** The characters of the line from the fault on. */
  readonly after: string;
  readonly kind: ScriptKind;
  /** The names that the script has beside the built-in ones. */
  readonly names: readonly string[];
}

type Rule = readonly [
  message: RegExp,
  hint: string | ((fault: FaultContext) => string | undefined),
];

const noExceptions =
  'Starlark has no exceptions. Check the result of a function, or end the script with fail("reason").';
const noTypes = "Starlark has no annotations of types: remove them.";
const joinStrings = "Strings that follow each other are not joined: write + between them.";
const useLogic = "Write and, or and not.";

const keywords: Readonly<Record<string, string>> = {
  try: noExceptions,
  except: noExceptions,
  finally: noExceptions,
  raise: 'Write fail("reason"), or return {"error": "reason"}.',
  import: "Starlark has no import: modules such as json, re, fs and http are there already.",
  from: "Starlark has no import: modules such as json, re, fs and http are there already.",
  class: "Starlark has no classes: use functions and dicts.",
  is: "Write == or !=: `x == None`.",
  with: "Starlark has no with: fs.read(path) returns the text of a file.",
  global: "A function cannot change a variable of the file: return the new value.",
  nonlocal: "A function cannot change a variable of another one: return the new value.",
  del: "Write d.pop(key) for a dict, and l.pop(index) for a list.",
  yield: "Starlark has no generators: return a list.",
  async: "Write def: functions wait for results by themselves.",
  await: "Remove await: functions wait for results by themselves.",
  assert: 'Write `if not condition: fail("reason")`.',
  as: "Starlark has no `as`: assign the value to a name.",
};

const rules: readonly Rule[] = [
  [
    /^got (?:identifier|newline|return|if|for|def|'\)'), want/,
    ({ kind }) =>
      kind === "condition" ? "Write one expression that is True or False." : undefined,
  ],
  [/^got (\w+), want /, ({ message }) => keywords[/^got (\w+)/.exec(message)?.[1] ?? ""]],
  [
    /^got return, want primary/,
    ({ before }) =>
      before.includes("lambda")
        ? "A lambda has one expression, without return. Write a def for more."
        : undefined,
  ],
  [/^got else, want primary/, "else belongs to if alone; for and while have none."],
  [
    /^got (?:'='|'[+*/-]='), want/,
    ({ before, kind }) =>
      before.includes("lambda")
        ? "A lambda has one expression and cannot assign. Write a def."
        : kind === "condition" || /\bif\b|\breturn\b/.test(before)
          ? "Write == to compare."
          : undefined,
  ],
  [
    /^got string literal, want/,
    ({ before }) => {
      if (/(?:^|[^\w])[fF][rR]?$/.test(before) || /(?:^|[^\w])[rR][fF]$/.test(before))
        return 'Write "… %s" % x or "… {}".format(x), or allow f-strings with dialect: { fstrings: true }.';
      if (/\bprint\s+$/.test(before)) return "print is a function: print(x).";
      return /["']\s*$/.test(before) ? joinStrings : undefined;
    },
  ],
  [/^got '\*\*', want primary/, "Write d1 | d2 to join dicts, or dict(d1, key=value)."],
  [/^got '\*\*', want/, "Write math.pow(a, b)."],
  [/^got '\*', want primary/, "A list cannot take another one apart: write a + [b]."],
  [/^got for, want/, "Starlark has no generators: write a list, [x for x in items]."],
  [
    /^got ':', want/,
    ({ after, before, line }) => {
      if (after.startsWith(":=")) return "Starlark has no :=; assign the value on a line before.";
      if (/^\s*def\b/.test(line) || /^\s*\w+\s*$/.test(before)) return noTypes;
      return undefined;
    },
  ],
  [/^got '-', want ':'|^got '->'/, noTypes],
  [
    /^got ',', want ':'/,
    ({ before }) =>
      /\{[^:]*$/.test(before) ? "Braces make a dict; use a list for distinct values." : undefined,
  ],
  [/^got newline, want ':'/, "End the line with a colon."],
  [/want indent$/, "Indent the lines of the block by four spaces."],
  [/^unexpected input character '@'/, "Starlark has no decorators: call the function."],
  [
    /^unexpected input character '[!?$`]'|^got '&'|^got '\|'/,
    ({ after }) => (after.startsWith("?") ? "Write `a if condition else b`." : useLogic),
  ],
  [
    /^unexpected input character/,
    ({ after }) => (/^[“”‘’]/.test(after) ? "Use the straight quotes \" and '." : undefined),
  ],
  [
    /^got newline, want primary/,
    ({ before }) => (/(?:\+\+|--)\s*$/.test(before) ? "Write x += 1." : undefined),
  ],
  [/^got '>', want primary/, ({ before }) => (before.endsWith("<") ? "Write !=." : undefined)],
  [/^unexpected '}'/, "Starlark has no braces around blocks: indent their lines."],
  [/^got '\/\/', want primary/, "A comment starts with #."],
  [
    /^got (?:identifier|int literal), want newline/,
    ({ before }) => {
      const word = /^\s*(\w+)\s*$/.exec(before)?.[1] ?? "";
      if (word === "assert") return keywords["assert"];
      if (["const", "let", "var"].includes(word)) return "Write name = value.";
      if (["function", "func", "fn"].includes(word)) return "Write def name(args):";
      if (word === "match" || word === "case") return "Starlark has no match: write if and elif.";
      return word === "print" ? "print is a function: print(x)." : undefined;
    },
  ],
  [
    /^conditional expression without else/,
    ({ after }) => (/^if\b[^:]*\bis\b/.test(after) ? keywords["is"] : undefined),
  ],
  [/^conditional expression without else/, "Write `a if condition else None`."],
  [/does not associate with/, "Write `a < b and b < c`."],
  [
    /does not support while loops/,
    "Write `for _ in range(1000):` with break, or allow while with dialect: { while: true }.",
  ],
  [
    /does not support sets/,
    "Use a dict whose keys are the members, or allow sets with dialect: { set: true }.",
  ],
  [
    /(?:if statement|for loop|while loop) not within a function/,
    "Put it into a function, or allow it with dialect: { top_level_control: true }.",
  ],
  [
    /^cannot reassign global/,
    "A variable of the file has one value: use another name, or a variable in a function.",
  ],
  [/^obsolete form of octal/, "Write 0o before the digits."],
  [/^invalid escape sequence/, 'Write r"…" for a text with backslashes, such as a pattern.'],
  [
    /^unexpected newline in string/,
    'Close the quotes, or write """ around a text of several lines.',
  ],
  [/^unindent does not match/, "Indent every line of a block in the same way, with spaces."],
  [
    /^unparenthesized tuple with trailing comma/,
    "Remove the comma, or put the tuple in parentheses.",
  ],
  [/^load statement within/, "Put load at the beginning of the script."],
  [/^undefined: /, undefinedHint],
];

const otherNames: Readonly<Record<string, string>> = {
  isinstance:
    'Write type(x) == "string"; the other types are int, float, bool, list, dict and NoneType.',
  issubclass: "Starlark has no classes.",
  sum: "Add in a loop: total += x.",
  map: "Write a list: [f(x) for x in items].",
  filter: "Write a list: [x for x in items if keep(x)].",
  reduce: "Write a loop.",
  round: "Write math.round(x).",
  pow: "Write math.pow(a, b).",
  divmod: "Write a // b and a % b.",
  open: "Write fs.read(path) or fs.write(path, text).",
  input: "A script cannot ask: read args.",
  os: "Use fs for files, exec.run for programs, env.get for variables.",
  sys: "A script has args alone.",
  pathlib: "Use fs; join paths with +.",
  subprocess: 'Write exec.run("git", ["status"]).',
  requests: "Write http.get(url).",
  urllib: "Write http.get(url), or url.parse(text).",
  datetime: "Write time.now() or time.iso().",
  logging: "Write log.info(message).",
  hashlib: "Write hash.sha256(data).",
  null: "Write None.",
  nil: "Write None.",
  undefined: "Write None.",
  true: "Write True.",
  false: "Write False.",
  console: "Write log.info(message).",
  this: "Starlark has no objects with methods of their own: use functions.",
  self: "Starlark has no classes: use functions.",
  next: "Write a loop with break, or items[0].",
  iter: "Lists and dicts are iterable by themselves.",
  format: 'Write "%s" % x or "{}".format(x).',
  hex: 'Write "%x" % n.',
  oct: 'Write "%o" % n.',
  frozenset: "Use a tuple or a dict.",
  eval: "A script cannot run text as code.",
  compile: "A script cannot run text as code.",
  callable: 'Write type(f) == "function".',
  Exception: 'Write fail("reason").',
  ValueError: 'Write fail("reason").',
  TypeError: 'Write fail("reason").',
  KeyError: 'Write fail("reason").',
  __name__: "The host calls the function of the script: remove the line.",
};

const effectModules = ["exec", "fs", "http", "delegate", "meta"];

function undefinedHint({ kind, message, names }: FaultContext): string | undefined {
  const name = /^undefined: (\w+)/.exec(message)?.[1] ?? "";
  const isHook = kind === "hook";
  if ((isHook || kind === "condition") && effectModules.includes(name))
    return `A ${kind} only decides: it has no ${name}. Do it in a tool.`;
  if (isHook && name === "args") return 'Write payload["args"].';
  if (!isHook && ["allow", "block", "modify"].includes(name)) return "Only hooks decide on calls.";
  if (Object.hasOwn(otherNames, name)) return otherNames[name];
  return names.length > 0 ? `This condition has ${names.join(" and ")}.` : undefined;
}

/** Advice for a fault, mostly for habits of Python and JavaScript; undefined: its message is enough. */
export function languageHint(fault: FaultContext): string | undefined {
  for (const [message, hint] of rules) {
    if (!message.test(fault.message)) continue;
    const text = typeof hint === "string" ? hint : hint(fault);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The code of a fault of the language. */
export function languageCode(message: string): string {
  if (message.startsWith("undefined: ")) return "undefined_name";
  const isRule =
    /does not support|not within a function|^cannot reassign|^load statement|not in a loop/;
  return isRule.test(message) ? "starlark_rule" : "starlark_syntax";
}
