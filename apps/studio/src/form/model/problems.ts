import { childPointer, parsePointer } from "@toolweave/core/adapter";
import { fieldAt } from "./field-at.ts";
import type { DraftNode, FormNode } from "../../json/node.ts";
import type { SchemaRoot } from "./schema-parts.ts";

/** A problem of a value. */
export interface FormProblem {
  /** A JSON pointer into the value; empty for the whole. */
  readonly pointer: string;
  readonly message: string;
}

/** Finds the drafts in a value, in order: each blocks sending. */
export function draftProblems(node: FormNode): readonly FormProblem[] {
  const found: FormProblem[] = [];
  walkDrafts(node, "", (draft, pointer) => found.push({ pointer, message: draft.message }));
  return found;
}

function walkDrafts(
  node: FormNode,
  pointer: string,
  visit: (draft: DraftNode, pointer: string) => void,
): void {
  if (node.kind === "draft") visit(node, pointer);
  else if (node.kind === "array") {
    for (const [index, item] of node.items.entries()) {
      walkDrafts(item, childPointer(pointer, index), visit);
    }
  } else if (node.kind === "object") {
    for (const [name, member] of node.members) {
      walkDrafts(member, childPointer(pointer, name), visit);
    }
  }
}

/**
 * Returns the JSON pointer of the field that shows a problem: the one at its pointer, or the nearest field around it, such
 * as an absent object or JSON text.
 */
function fieldPointer(root: SchemaRoot, value: FormNode, problemPointer: string): string {
  return fieldAt(root, value, parsePointer(problemPointer)).path.reduce<string>(childPointer, "");
}

/** Groups the messages of problems by the pointer of the field that shows them. */
export function problemsByField(
  root: SchemaRoot,
  value: FormNode,
  problems: readonly FormProblem[],
): ReadonlyMap<string, readonly string[]> {
  const byField = new Map<string, string[]>();
  for (const { pointer, message } of problems) {
    const field = fieldPointer(root, value, pointer);
    const messages = byField.get(field);
    if (messages === undefined) byField.set(field, [message]);
    else if (!messages.includes(message)) messages.push(message);
  }
  return byField;
}
