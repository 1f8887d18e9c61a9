import type { JsonValue } from "@toolweave/core";
import type { SchemaNode } from "@toolweave/core/adapter";
import { countViolations } from "../../../src/form/model/count-violations.ts";
import {
  addItem,
  addMember,
  editAt,
  selectBranch,
  setJson,
  setNull,
  unsetNull,
  type Edit,
} from "../../../src/form/model/edit.ts";
import {
  canAddItem,
  childFields,
  itemSchema,
  memberNameProblem,
  viewField,
} from "../../../src/form/model/field-view.ts";
import { initialNode } from "../../../src/form/model/initial-node.ts";
import {
  isSameJson,
  literalNode,
  nodeAt,
  textNode,
  toNumberNode,
  type FormNode,
  type FormPath,
} from "../../../src/json/node.ts";
import { pinBranches } from "../../../src/form/model/pin-branches.ts";
import type { SchemaRoot } from "../../../src/form/model/schema-parts.ts";
import { memberSchema } from "../../../src/form/model/count-violations.ts";
import { compactJson, fromValue } from "../../../src/json/write-json.ts";

/**
 * Enters a value into an empty form by what its controls do, one field after another: it fails where no control leads to
 * a part of the value.
 *
 * @returns the value of the form, and the pointers of the fields that show JSON text.
 */
export function enterValue(
  root: SchemaRoot,
  target: FormNode,
): { readonly node: FormNode; readonly jsonFields: readonly string[] } {
  const person = new Person(root);
  person.enter([], root.schema, target);
  return { node: person.node, jsonFields: person.jsonFields };
}

class Person {
  readonly #root: SchemaRoot;
  node: FormNode;
  readonly jsonFields: string[] = [];

  constructor(root: SchemaRoot) {
    this.#root = root;
    this.node = initialNode(root, root.schema);
  }

  enter(path: FormPath, schema: SchemaNode | undefined, target: FormNode): void {
    const view = this.#select(path, schema, target);
    if (target.kind === "literal" && target.value === null && view.isNullable) {
      this.#edit(path, setNull());
      return;
    }
    if (view.control === "null" && view.isNullable) {
      this.#edit(
        path,
        unsetNull(() => initialNode(this.#root, schema)),
      );
      this.enter(path, schema, target);
      return;
    }
    const { control } = viewField(this.#root, view.schema, withoutChoices(target));
    switch (control) {
      case "text":
        this.#edit(path, () => textNode(target.kind === "text" ? target.text : ""));
        return;
      case "number":
        this.#edit(path, (node) => toNumberNode(target.kind === "number" ? target.text : "", node));
        return;
      case "boolean":
        this.#edit(path, () => literalNode(target.kind === "literal" && target.value));
        return;
      case "enum": {
        const option = view.options.find(({ value }) => isSameJson(fromValue(value), target));
        if (option === undefined) throw new Error(`${path.join("/")}: there is no such option`);
        this.#edit(path, () => fromValue(option.value));
        return;
      }
      case "const":
        this.#edit(path, () => fromValue(view.base["const"] as JsonValue));
        return;
      case "null":
        this.#edit(path, () => literalNode(null));
        return;
      case "object":
        this.#enterMembers(path, schema, target);
        return;
      case "array":
        this.#enterItems(path, schema, target);
        return;
      default:
        this.jsonFields.push(path.join("/"));
        this.#edit(path, setJson(compactJson(target), false));
    }
  }

  /** Selects the branches that match the value. */
  #select(path: FormPath, schema: SchemaNode | undefined, target: FormNode): View {
    for (let round = 0; round < 20; round++) {
      const view = this.#view(path, schema);
      const other = view.choices.find(
        (choice) => choice.selected !== bestBranch(this.#root, choice, target),
      );
      if (other === undefined) return view;
      this.#edit(path, selectBranch(this.#root, other, bestBranch(this.#root, other, target)));
    }
    throw new Error(`${path.join("/")}: the choices do not settle`);
  }

  #enterMembers(path: FormPath, schema: SchemaNode | undefined, target: FormNode): void {
    if (target.kind !== "object") throw new Error("no object");
    if (nodeAt(this.node, path)?.kind !== "object") {
      this.#edit(path, () => initialNode(this.#root, this.#view(path, schema).schema));
    }
    for (const [name, member] of target.members) {
      const view = this.#view(path, schema);
      const fields = childFields(this.#root, view, nodeAt(this.node, path));
      let field = fields.find(({ step }) => step === name);
      if (field === undefined) {
        const problem = memberNameProblem(this.#root, view, nodeAt(this.node, path), name);
        if (problem !== undefined) throw new Error(`${path.join("/")}/${name}: ${problem}`);
        const other = memberSchema(view.base, name);
        this.#edit(
          path,
          addMember(name, () => initialNode(this.#root, other)),
        );
        field = {
          step: name,
          schema: other,
          node: undefined,
          isRequired: false,
          isAdditional: true,
        };
      }
      this.enter([...path, name], field.schema, member);
    }
    // Another branch of a condition may apply now; what it inserted is removed as a person would.
    const node = nodeAt(this.node, path);
    for (const name of node?.kind === "object" ? node.members.keys() : []) {
      if (!target.members.has(name)) this.#edit([...path, name], () => undefined);
    }
  }

  #enterItems(path: FormPath, schema: SchemaNode | undefined, target: FormNode): void {
    if (target.kind !== "array") throw new Error("no array");
    if (nodeAt(this.node, path)?.kind !== "array") {
      this.#edit(path, () => initialNode(this.#root, this.#view(path, schema).schema));
    }
    for (const [index, item] of target.items.entries()) {
      const view = this.#view(path, schema);
      if (!canAddItem(view, nodeAt(this.node, path))) throw new Error("no item can be added");
      const itemsSchema = itemSchema(view, index);
      this.#edit(
        path,
        addItem(() => initialNode(this.#root, itemsSchema)),
      );
      this.enter([...path, index], itemsSchema, item);
    }
  }

  #view(path: FormPath, schema: SchemaNode | undefined): View {
    return viewField(this.#root, schema, nodeAt(this.node, path));
  }

  #edit(path: FormPath, edit: Edit): void {
    this.node = editAt(pinBranches(this.#root, this.node, path), path, edit);
  }
}

type View = ReturnType<typeof viewField>;

function bestBranch(
  root: SchemaRoot,
  { branches }: View["choices"][number],
  target: FormNode,
): number {
  const counts = branches.map(({ own }) => countViolations(root, own, target));
  const least = counts.indexOf(Math.min(...counts));
  return branches[least]?.index ?? 0;
}

function withoutChoices(node: FormNode): FormNode {
  const { choices: _, ...rest } = node;
  return rest;
}
