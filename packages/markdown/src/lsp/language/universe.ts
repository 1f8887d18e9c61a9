import { fromSignature } from "./callable.ts";
import type { Callable, ValueType } from "./callable.ts";

type Rows = readonly (readonly [signature: string, doc: string])[];

const functionRows: Rows = [
  ["abs(x) -> number", "The absolute value of a number."],
  ["all(iterable) -> bool", "Whether all items are true; True if there are none."],
  ["any(iterable) -> bool", "Whether an item is true; False if there are none."],
  ["bool(x=False) -> bool", "The truth of a value: empty values, 0 and None are False."],
  ["bytes(x) -> bytes", "The bytes of a string in UTF-8, or of ints from 0 to 255."],
  ["chr(i) -> str", "The character with a Unicode code point."],
  [
    "dict(pairs=[], **kwargs) -> dict",
    "A new dict from a dict or pairs, and from named arguments.",
  ],
  ["dir(x) -> list", "The names of the methods and members of a value, in order."],
  ["enumerate(iterable, start=0) -> list", "Pairs (index, item)."],
  ['fail(*args, sep=" ") -> None', "Ends the script with an error whose message is the arguments."],
  ["float(x=0.0) -> float", 'A number as a float; also from a text such as "1.5" or "inf".'],
  [
    "getattr(x, name, default=None) -> any",
    "The member of a value with a name; without a default, a missing one is an error.",
  ],
  ["hasattr(x, name) -> bool", "Whether a value has a member with a name."],
  ["hash(x) -> int", "The hash of a string or of bytes."],
  [
    "int(x, *, base=10) -> int",
    "A number without its fraction, or the int that a text writes; base 0 reads prefixes such as 0x.",
  ],
  ["len(x) -> int", "The number of items; for a string, the number of its bytes."],
  ["list(iterable=[]) -> list", "A new list of the items."],
  [
    "max(*args, key=None) -> any",
    "The greatest of the arguments, or of the items of the only one. key is called for each.",
  ],
  [
    "min(*args, key=None) -> any",
    "The least of the arguments, or of the items of the only one. key is called for each.",
  ],
  ["ord(s) -> int", "The Unicode code point of a text of one character."],
  ['print(*args, sep=" ") -> None', "Prints the arguments for the author of the script."],
  ["range(start_or_stop, stop=None, step=1) -> list", "The ints from start to before stop."],
  ["repr(x) -> str", "A value as Starlark writes it: strings in quotes."],
  ["reversed(iterable) -> list", "The items in reverse order, as a new list."],
  ["set(iterable=[]) -> set", "A new set of the items. Needs dialect: { set: true }."],
  [
    "sorted(iterable, *, key=None, reverse=False) -> list",
    "The items in ascending order, as a new list. Equal items keep their order.",
  ],
  ["str(x) -> str", "A value as text; a string as it is."],
  ["tuple(iterable=()) -> tuple", "A new tuple of the items."],
  [
    "type(x) -> str",
    'The name of the type: "NoneType", "bool", "int", "float", "string", "bytes", "list", "tuple", "dict", "set", "function".',
  ],
  [
    "zip(*args) -> list",
    "Tuples of the first items of all arguments, of the second ones, and so on, up to the shortest.",
  ],
];

const stringRows: Rows = [
  [
    "capitalize() -> str",
    "The text with its first letter in upper case and all others in lower case.",
  ],
  ["codepoint_ords() -> any", "The code points as ints, to be iterated over."],
  ["codepoints() -> any", "The characters, to be iterated over."],
  ["count(sub, start=0, end=None) -> int", "The number of occurrences that do not overlap."],
  ["elem_ords() -> any", "The bytes as ints, to be iterated over."],
  ["elems() -> any", "The bytes as texts, to be iterated over."],
  [
    "endswith(suffix, start=0, end=None) -> bool",
    "Whether the text ends with a suffix, or with one of a tuple.",
  ],
  [
    "find(sub, start=0, end=None) -> int",
    "The index of the first occurrence; -1 if there is none.",
  ],
  [
    "format(*args, **kwargs) -> str",
    "The text with {} , {0} and {name} replaced by the arguments.",
  ],
  [
    "index(sub, start=0, end=None) -> int",
    "The index of the first occurrence; an error if there is none.",
  ],
  ["isalnum() -> bool", "Whether the text has letters and digits alone, and at least one."],
  ["isalpha() -> bool", "Whether the text has letters alone, and at least one."],
  ["isdigit() -> bool", "Whether the text has digits alone, and at least one."],
  ["islower() -> bool", "Whether the text has a letter, and none in upper case."],
  ["isspace() -> bool", "Whether the text has white space alone, and at least one character."],
  ["istitle() -> bool", "Whether each word starts with an upper-case letter and has no other one."],
  ["isupper() -> bool", "Whether the text has a letter, and none in lower case."],
  ["join(iterable) -> str", "The texts with this one between them."],
  ["lower() -> str", "The text in lower case."],
  [
    "lstrip(cutset=None) -> str",
    "The text without white space, or characters of the cutset, at its start.",
  ],
  [
    "partition(sep) -> tuple",
    "The text before the first separator, the separator, and the text behind it.",
  ],
  ["removeprefix(prefix) -> str", "The text without a prefix, if it starts with it."],
  ["removesuffix(suffix) -> str", "The text without a suffix, if it ends with it."],
  [
    "replace(old, new, count=-1) -> str",
    "The text with occurrences replaced; all of them by default.",
  ],
  [
    "rfind(sub, start=0, end=None) -> int",
    "The index of the last occurrence; -1 if there is none.",
  ],
  [
    "rindex(sub, start=0, end=None) -> int",
    "The index of the last occurrence; an error if there is none.",
  ],
  [
    "rpartition(sep) -> tuple",
    "The text before the last separator, the separator, and the text behind it.",
  ],
  ["rsplit(sep=None, maxsplit=-1) -> list", "The parts between separators, split from the end."],
  [
    "rstrip(cutset=None) -> str",
    "The text without white space, or characters of the cutset, at its end.",
  ],
  [
    "split(sep=None, maxsplit=-1) -> list",
    "The parts between separators; without one, the words between white space.",
  ],
  ["splitlines(keepends=False) -> list", "The lines, without their ends by default."],
  [
    "startswith(prefix, start=0, end=None) -> bool",
    "Whether the text starts with a prefix, or with one of a tuple.",
  ],
  [
    "strip(cutset=None) -> str",
    "The text without white space, or characters of the cutset, at both ends.",
  ],
  ["title() -> str", "The text with each word in lower case after an upper-case letter."],
  ["upper() -> str", "The text in upper case."],
];

const listRows: Rows = [
  ["append(x) -> None", "Adds an item at the end."],
  ["clear() -> None", "Removes all items."],
  ["extend(iterable) -> None", "Adds the items at the end."],
  [
    "index(x, start=0, end=None) -> int",
    "The index of the first item that equals x; an error if there is none.",
  ],
  ["insert(i, x) -> None", "Adds an item before the index."],
  ["pop(i=-1) -> any", "Removes the item at the index and returns it; the last one by default."],
  ["remove(x) -> None", "Removes the first item that equals x; an error if there is none."],
];

const dictRows: Rows = [
  ["clear() -> None", "Removes all entries."],
  ["get(key, default=None) -> any", "The value of a key; the default if there is none."],
  ["items() -> list", "Pairs (key, value), in the order in which the keys were added."],
  ["keys() -> list", "The keys, in the order in which they were added."],
  [
    "pop(key, default=None) -> any",
    "Removes a key and returns its value; without a default, a missing one is an error.",
  ],
  ["popitem() -> tuple", "Removes the first entry and returns it as (key, value)."],
  [
    "setdefault(key, default=None) -> any",
    "The value of a key, which is added with the default if there is none.",
  ],
  [
    "update(pairs=[], **kwargs) -> None",
    "Adds the entries of a dict or of pairs, and the named arguments.",
  ],
  ["values() -> list", "The values, in the order in which the keys were added."],
];

const setRows: Rows = [
  ["add(x) -> None", "Adds an item."],
  ["clear() -> None", "Removes all items."],
  ["difference(iterable) -> set", "The items that are not among the others."],
  ["discard(x) -> None", "Removes an item, if it is there."],
  ["intersection(iterable) -> set", "The items that are among the others, too."],
  ["issubset(iterable) -> bool", "Whether all items are among the others."],
  ["issuperset(iterable) -> bool", "Whether all others are among the items."],
  ["pop() -> any", "Removes the first item and returns it."],
  ["remove(x) -> None", "Removes an item; an error if it is not there."],
  ["symmetric_difference(iterable) -> set", "The items that are in one of the two alone."],
  ["union(iterable) -> set", "The items and the others."],
  ["update(iterable) -> None", "Adds the others."],
];

const bytesRows: Rows = [["elems() -> any", "The bytes as ints, to be iterated over."]];

function toCallables(prefix: string, rows: Rows): ReadonlyMap<string, Callable> {
  return new Map(
    rows.map(([signature, doc]) => {
      const callable = fromSignature(prefix + signature, doc);
      return [callable.name.slice(prefix.length), callable];
    }),
  );
}

/** The functions that every script has, by name. */
export const universeFunctions: ReadonlyMap<string, Callable> = toCallables("", functionRows);

/** The values that every script has. */
export const universeConstants: readonly string[] = ["None", "True", "False"];

/** The methods of the types that have some, by type and name. */
export const methods: ReadonlyMap<ValueType, ReadonlyMap<string, Callable>> = new Map(
  (
    [
      ["string", stringRows],
      ["list", listRows],
      ["dict", dictRows],
      ["set", setRows],
      ["bytes", bytesRows],
    ] as const
  ).map(([type, rows]) => [type, toCallables(`${type}.`, rows)]),
);

/** The words of the language. */
export const keywords: readonly string[] =
  "and break continue def elif else for if in lambda load not or pass return while".split(" ");

/** Words of Python that no name may have. */
export const reservedWords: readonly string[] =
  "as assert async await class del except finally from global import is nonlocal raise try with yield".split(
    " ",
  );
