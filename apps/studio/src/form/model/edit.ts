import type { SchemaNode } from "@toolweave/core/adapter";
import { countViolations, memberSchema } from "./count-violations.ts";
import { initialNode } from "./initial-node.ts";
import {
  draftNode,
  replaceNode,
  isSameJson,
  literalNode,
  objectNode,
  withoutSource,
  type ArrayNode,
  type FormNode,
  type FormPath,
  type ObjectNode,
} from "../../json/node.ts";
import { isFault, parseJson } from "../../json/parse-json.ts";
import { schemaParts, type SchemaRoot } from "./schema-parts.ts";
import { propertiesIn, type ChoiceView } from "./schema-view.ts";

/** Replaces a value; undefined removes it. */
export type Edit = (node: FormNode | undefined) => FormNode | undefined;

/**
 * Edits the value at a path. Containers on the way are copied; other nodes are the same objects as before. An edit whose
 * containers are absent, since they were removed at the same time, changes nothing.
 */
export function editAt(root: FormNode, path: FormPath, edit: Edit): FormNode {
  return editNode(root, path, edit) ?? root;
}

function editNode(node: FormNode | undefined, path: FormPath, edit: Edit): FormNode | undefined {
  const [step, ...rest] = path;
  if (step === undefined) {
    const next = edit(node);
    return next === undefined ? undefined : replaceNode(node, next);
  }
  if (node?.kind === "object") {
    const name = String(step);
    const before = node.members.get(name);
    const next = editNode(before, rest, edit);
    return next === before ? node : withMember(node, name, next);
  }
  if (node?.kind === "array" && Number(step) < node.items.length) {
    const index = Number(step);
    const next = editNode(node.items[index], rest, edit);
    if (next === node.items[index]) return node;
    const items =
      next === undefined ? node.items.toSpliced(index, 1) : node.items.with(index, next);
    return withItems(node, items);
  }
  return node;
}

function withItems(node: ArrayNode, items: readonly FormNode[]): ArrayNode {
  return { ...withoutSource(node), items };
}

function withMember(node: ObjectNode, name: string, next: FormNode | undefined): ObjectNode {
  const members = new Map(node.members);
  if (next !== undefined) {
    members.set(name, next);
    return { ...withoutSource(node), members };
  }
  const before = members.get(name);
  members.delete(name);
  const removed = new Map(node.removed);
  if (before !== undefined) removed.set(name, before);
  return { ...withoutSource(node), members, removed };
}

/** Adds a member: with the value that it had when it was removed, otherwise with an initial one. */
export function addMember(name: string, create: () => FormNode): Edit {
  return (node) => {
    if (node !== undefined && node.kind !== "object") return node;
    const object = node ?? objectNode();
    if (object.members.has(name)) return object;
    return withMember(object, name, object.removed?.get(name) ?? create());
  };
}

/** Renames a member; its position is preserved. Nothing changes if the new name is in use. */
export function renameMember(name: string, next: string): Edit {
  return (node) => {
    if (node?.kind !== "object" || node.members.has(next)) return node;
    const members = [...node.members].map(([key, member]): [string, FormNode] => [
      key === name ? next : key,
      member,
    ]);
    return { ...withoutSource(node), members: new Map(members) };
  };
}

/** Adds an item at the end. */
export function addItem(create: () => FormNode): Edit {
  return (node) => (node?.kind === "array" ? withItems(node, [...node.items, create()]) : node);
}

/** Moves an item by a number of positions. */
export function moveItem(index: number, by: number): Edit {
  return (node) => {
    if (node?.kind !== "array") return node;
    const item = node.items[index];
    const to = index + by;
    if (item === undefined || to < 0 || to >= node.items.length) return node;
    return withItems(node, node.items.toSpliced(index, 1).toSpliced(to, 0, item));
  };
}

/** Selects null; the value that it replaces is preserved. */
export function setNull(): Edit {
  return (node) =>
    node?.kind === "literal" && node.value === null ? node : literalNode(null, node);
}

/** Replaces null by the value that it replaced, or by an initial one. */
export function unsetNull(create: () => FormNode): Edit {
  return (node) => (node?.kind === "literal" ? node.previous : undefined) ?? create();
}

/**
 * Sets the value to JSON text as typed. The text is preserved: with the value if it parses, as a draft otherwise.
 *
 * @param canBeAbsent true if empty text removes the value.
 */
export function setJson(text: string, canBeAbsent: boolean): Edit {
  return (node) => {
    if (canBeAbsent && text.trim() === "") return undefined;
    const parsed = parseJson(text);
    if (isFault(parsed)) return draftNode(text, "json", parsed.message, node, parsed.offset);
    const before = node?.kind === "draft" ? node.previous : node;
    return { ...adopt(before, parsed), source: text };
  };
}

/** Gives the parts of a newly parsed value that have not changed their identity and selected branches. */
function adopt(before: FormNode | undefined, next: FormNode): FormNode {
  if (before === undefined) return next;
  const state = {
    id: before.id,
    ...(isSameJson(before, next) ? copyChoices(before) : detectBranches(before)),
  };
  if (before.kind === "object" && next.kind === "object") {
    const members = [...next.members].map(([name, member]): [string, FormNode] => [
      name,
      adopt(before.members.get(name), member),
    ]);
    const removed = before.removed === undefined ? {} : { removed: before.removed };
    return { ...next, ...state, ...removed, members: new Map(members) };
  }
  if (before.kind === "array" && next.kind === "array") {
    const items = next.items.map((item, index) => adopt(before.items[index], item));
    return { ...next, ...state, items };
  }
  return { ...next, ...state };
}

type Choices = Pick<FormNode, "choices">;

function copyChoices({ choices }: FormNode): Choices {
  return choices === undefined ? {} : { choices };
}

/** The stored values of the branches that are not selected; which one is selected depends on the value again. */
function detectBranches(before: FormNode | undefined): Choices {
  if (before?.choices === undefined) return {};
  const choices = [...before.choices].map(
    ([key, { others }]) => [key, { branch: undefined, others }] as const,
  );
  return { choices: new Map(choices) };
}

/** Replaces a draft by the last valid value; removes it if there was none. */
export function discardDraft(): Edit {
  return (node) => (node?.kind === "draft" ? node.previous : node);
}

/**
 * Selects another branch of a choice. Members outside of the branches are preserved; the value of the branch that is left
 * is stored, and that of the selected one restored if it was selected before.
 */
export function selectBranch(root: SchemaRoot, choice: ChoiceView, to: number): Edit {
  return (node) => {
    const target = choice.branches.find(({ index }) => index === to);
    if (target === undefined) return node;
    const others = new Map(node?.choices?.get(choice.key)?.others);
    if (node !== undefined && choice.selected !== undefined) others.set(choice.selected, node);
    const stored = others.get(to);
    others.delete(to);
    const initial = stored ?? initialNode(root, target.whole, withBranch(node, choice.key, to));
    const next = nodeOfBranch(root, choice, target, node, initial, stored !== undefined);
    const choices = new Map(next.choices ?? node?.choices);
    choices.set(choice.key, { branch: to, others });
    return { ...withoutSource(next), choices };
  };
}

/** The selected branches of the other choices, and the one to select. */
function withBranch(
  node: FormNode | undefined,
  key: string,
  to: number,
): ReadonlyMap<string, number> {
  const picks = new Map<string, number>();
  for (const [other, { branch }] of node?.choices ?? []) {
    if (branch !== undefined) picks.set(other, branch);
  }
  return picks.set(key, to);
}

function nodeOfBranch(
  root: SchemaRoot,
  { common, branches, selected }: ChoiceView,
  target: ChoiceView["branches"][number],
  node: FormNode | undefined,
  initial: FormNode,
  isStored: boolean,
): FormNode {
  if (node?.kind !== "object") {
    if (node === undefined || isStored) return initial;
    return countViolations(root, target.schema, node) === 0 ? node : initial;
  }
  if (initial.kind !== "object") return initial;
  const commonNames = new Set(propertiesIn(common).map(([name]) => name));
  const left = branches.find(({ index }) => index === selected);
  const leftNames = new Set(listNames(root, left?.schema));
  const members = new Map(initial.members);
  for (const [name, member] of node.members) {
    const isOfBranch = leftNames.has(name) && !commonNames.has(name);
    const fits = !isStored && matchesMember(root, target.schema, name, member);
    if (members.has(name) && !commonNames.has(name)) continue;
    if (!isOfBranch || fits) members.set(name, member);
  }
  return { ...initial, members };
}

function listNames(root: SchemaRoot, schema: SchemaNode | undefined): readonly string[] {
  return propertiesIn(schemaParts(root, schema).base).map(([name]) => name);
}

function matchesMember(
  root: SchemaRoot,
  schema: SchemaNode,
  name: string,
  member: FormNode,
): boolean {
  const { base } = schemaParts(root, schema);
  const isNamed = propertiesIn(base).some(([other]) => other === name);
  return isNamed && countViolations(root, memberSchema(base, name), member) === 0;
}
