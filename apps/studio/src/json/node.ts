/**
 * The value of a form: a JSON value that also holds what JSON cannot, which is text that does not parse. A tree of
 * immutable nodes; an edit makes new nodes from the place of the change up to the root.
 */
export type FormNode = TextNode | NumberNode | LiteralNode | ObjectNode | ArrayNode | DraftNode;

interface NodeState {
  /** Identifies the place while its value changes and its position in a list moves. */
  readonly id: number;
  /** The branch selected for each choice of the schema, by the key of the choice. */
  readonly choices?: ReadonlyMap<string, SelectedBranch>;
  /** The JSON text that was typed for this value, unchanged. */
  readonly source?: string;
}

/** A selected branch of `oneOf`, `anyOf` or a list of types. */
export interface SelectedBranch {
  /** Undefined: the branch that matches the value best. */
  readonly branch: number | undefined;
  /** The values of the branches that were selected before, by index. */
  readonly others: ReadonlyMap<number, FormNode>;
}

/** A JSON string. */
export interface TextNode extends NodeState {
  readonly kind: "text";
  readonly text: string;
  /** The string as typed in JSON text, with its quotes, if its escapes are not those that are written by default. */
  readonly quoted?: string;
}

/** A JSON number, as typed: `1.50`, `9007199254740993`. White space around it is preserved and not sent. */
export interface NumberNode extends NodeState {
  readonly kind: "number";
  readonly text: string;
}

/** `true`, `false` or `null`. */
export interface LiteralNode extends NodeState {
  readonly kind: "literal";
  readonly value: boolean | null;
  /** The value that `null` replaced, restored when null is deselected. */
  readonly previous?: FormNode;
}

/** A JSON object. */
export interface ObjectNode extends NodeState {
  readonly kind: "object";
  readonly members: ReadonlyMap<string, FormNode>;
  /** Members that were removed, restored when they are added again. */
  readonly removed?: ReadonlyMap<string, FormNode>;
  readonly layout?: JsonLayout;
}

/** The white space of an object or array in JSON text that was typed, by the index of the member or item. */
export interface JsonLayout {
  /** Before the name or the item. */
  readonly before: readonly string[];
  /** Between a name and its value, with the colon. */
  readonly colon: readonly string[];
  /** Between the value and the comma, or the end. */
  readonly after: readonly string[];
}

/** A JSON array. */
export interface ArrayNode extends NodeState {
  readonly kind: "array";
  readonly items: readonly FormNode[];
  readonly layout?: JsonLayout;
}

/** Text that is not (yet) a value: it is preserved as typed and blocks sending. */
export interface DraftNode extends NodeState {
  readonly kind: "draft";
  readonly text: string;
  /** The kind of value that is expected: a number, a member of a list of values, or any JSON. */
  readonly as: "number" | "option" | "json";
  /** Why it is not a value. */
  readonly message: string;
  /** The index in `text` at which JSON stops being valid. */
  readonly offset?: number;
  /** The last valid value, restored when the draft is discarded. */
  readonly previous?: FormNode;
}

/** A number that JavaScript would print with other digits, with its own. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  /** The nearest number. */
  toJSON(): number {
    return Number(this.digits);
  }
}

/** A JSON value for display, in which no digit is lost. */
export type ExactJson =
  | string
  | number
  | boolean
  | null
  | ExactNumber
  | readonly ExactJson[]
  | { readonly [name: string]: ExactJson };

let lastId = 0;

function nextId(): number {
  return ++lastId;
}

export function textNode(text: string): TextNode {
  return { kind: "text", id: nextId(), text };
}

/** @param text a JSON number; `toNumberNode` checks text that was typed. */
export function numberNode(text: string): NumberNode {
  return { kind: "number", id: nextId(), text };
}

export function literalNode(value: boolean | null, previous?: FormNode): LiteralNode {
  const node: LiteralNode = { kind: "literal", id: nextId(), value };
  return previous === undefined ? node : { ...node, previous };
}

export function objectNode(members: Iterable<readonly [string, FormNode]> = []): ObjectNode {
  return { kind: "object", id: nextId(), members: new Map(members) };
}

export function arrayNode(items: readonly FormNode[] = []): ArrayNode {
  return { kind: "array", id: nextId(), items };
}

/** Makes a draft; `previous` is the value that it replaces, of which the last valid one is preserved. */
export function draftNode(
  text: string,
  as: DraftNode["as"],
  message: string,
  previous?: FormNode,
  offset?: number,
): DraftNode {
  const valid = previous?.kind === "draft" ? previous.previous : previous;
  return {
    kind: "draft",
    id: nextId(),
    text,
    as,
    message,
    ...(offset !== undefined && { offset }),
    ...(valid !== undefined && { previous: valid }),
  };
}

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Reads a number as typed: a number node with exactly this text, or a draft. */
export function toNumberNode(text: string, previous?: FormNode): NumberNode | DraftNode {
  const digits = text.trim();
  if (jsonNumber.test(digits)) return numberNode(text);
  return draftNode(text, "number", numberMessage(digits), previous);
}

function numberMessage(text: string): string {
  if (text === "") return "Enter a number, or remove the field.";
  if (/^-?0[0-9]/.test(text)) return "A JSON number has no leading zeros.";
  if (text.startsWith("+")) return "A JSON number has no plus sign.";
  if (/^-?\./.test(text)) return "A JSON number begins with a digit: 0.5.";
  if (/^-?[0-9]+\.$/.test(text)) return "Digits are missing after the decimal point.";
  if (/^-?[0-9.]+[eE][+-]?$/.test(text)) return "Digits are missing after the exponent.";
  if (/^-?[0-9]{1,3}(?:,[0-9]{3})+/.test(text)) return "A JSON number has no thousands separators.";
  return "This is not a number.";
}

/** `next` in the place of `old`: it has its identity and its selected branches. */
export function replaceNode(old: FormNode | undefined, next: FormNode): FormNode {
  if (old === undefined || old === next) return next;
  const choices = next.choices ?? old.choices;
  return { ...next, id: old.id, ...(choices !== undefined && { choices }) };
}

/** The node without the JSON text that was typed for it: for a node that has been edited elsewhere. */
export function withoutSource<T extends FormNode>(node: T): T {
  if (node.source === undefined) return node;
  const { source: _, ...rest } = node;
  return rest as unknown as T;
}

/** True when two nodes are the same JSON: the same texts of numbers, and members in the same order. */
export function isSameJson(a: FormNode | undefined, b: FormNode | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.kind !== b.kind) return false;
  switch (a.kind) {
    case "text":
      return a.text === (b as TextNode).text;
    case "number":
      return a.text.trim() === (b as NumberNode).text.trim();
    case "literal":
      return a.value === (b as LiteralNode).value;
    case "draft":
      return a.text === (b as DraftNode).text && a.as === (b as DraftNode).as;
    case "array": {
      const { items } = b as ArrayNode;
      return (
        a.items.length === items.length &&
        a.items.every((item, index) => isSameJson(item, items[index]))
      );
    }
    case "object": {
      const others = [...(b as ObjectNode).members];
      const members = [...a.members];
      return (
        members.length === others.length &&
        members.every(([name, node], index) => {
          const other = others[index];
          return other?.[0] === name && isSameJson(node, other[1]);
        })
      );
    }
  }
}

/** A step from a value to one in it: the name of a member, or the index of an item. */
export type PathStep = string | number;
/** The steps from the root to a value. */
export type FormPath = readonly PathStep[];

/** Returns the node at a path; undefined if it is absent. */
export function nodeAt(root: FormNode | undefined, path: FormPath): FormNode | undefined {
  let node = root;
  for (const step of path) node = findChild(node, step);
  return node;
}

/** Returns the node one step below; undefined if it is absent. */
export function findChild(node: FormNode | undefined, step: PathStep): FormNode | undefined {
  if (node?.kind === "object") return node.members.get(String(step));
  return node?.kind === "array" ? node.items[Number(step)] : undefined;
}
