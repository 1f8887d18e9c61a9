import type { JsonSchema } from "@toolweave/core";
import { parsePointer } from "@toolweave/core/adapter";
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { editAt, setJson, type Edit } from "./model/edit.ts";
import { initialNode } from "./model/initial-node.ts";
import { findChild, nodeAt, type FormNode, type FormPath, type PathStep } from "../json/node.ts";
import { Disclosure } from "./disclosure.ts";
import { pinBranches } from "./model/pin-branches.ts";
import { draftProblems, problemsByField, type FormProblem } from "./model/problems.ts";
import { publicJson } from "./model/public-json.ts";
import type { SchemaRoot } from "./model/schema-parts.ts";
import { compactJson, jsonText } from "../json/write-json.ts";

export type { FormProblem } from "./model/problems.ts";

/** A form begins with an empty value, unless it has one. */
export interface FormOptions {
  /** The schema of the value. References point into it. */
  readonly schema: JsonSchema;
  /** JSON text of the first value, as `Form.text` returns it: a draft that does not parse is preserved, too. */
  readonly text?: string;
  /** Called after each change of the value, before the page is rendered again. */
  readonly onChange?: (form: Form) => void;
}

let lastForm = 0;

/**
 * The state of a form: one JSON value, and drafts of it that do not parse. It holds what a person has typed as long as it
 * exists, whether or not the form is on the page.
 */
export class Form {
  /** Identifies the form among those of the page. */
  readonly id: string = `form${++lastForm}`;
  readonly schema: JsonSchema;
  readonly root: SchemaRoot;
  readonly disclosure: Disclosure = new Disclosure();
  readonly #value;
  readonly #problems = signal<readonly FormProblem[]>([]);
  readonly #drafts: ReadonlySignal<readonly FormProblem[]>;
  readonly #byField: ReadonlySignal<ReadonlyMap<string, readonly string[]>>;
  readonly #displayed: ReadonlySignal<readonly FormProblem[]>;
  readonly #displayedByField: ReadonlySignal<ReadonlyMap<string, readonly string[]>>;
  readonly #isSummaryVisible = signal(false);
  readonly #isSendingTried = signal(false);
  /** The pointers of the fields that the person has left. */
  readonly #left = signal<ReadonlySet<string>>(new Set());
  readonly #onChange: ((form: Form) => void) | undefined;
  /** The pointer of the field to focus after the next rendering, and the part of it. */
  readonly focusRequest = signal<{ readonly pointer: string; readonly part: string } | undefined>(
    undefined,
  );
  /** A message for screen readers, such as the new position of an item. */
  readonly announcement = signal("");

  constructor({ schema, text, onChange }: FormOptions) {
    this.schema = schema;
    this.root = { schema };
    this.#onChange = onChange;
    const initial = initialNode(this.root, schema);
    this.#value = signal(text === undefined ? initial : editAt(initial, [], setJson(text, true)));
    this.#drafts = computed(() => draftProblems(this.#value.value));
    this.#byField = this.#groupByField(() => this.problems);
    this.#displayed = computed(() =>
      this.#isSendingTried.value
        ? this.problems
        : this.problems.filter(({ pointer }) => !this.#isUntouched(pointer)),
    );
    this.#displayedByField = this.#groupByField(() => this.#displayed.value);
  }

  /** The same map if nothing has changed, since every field depends on it. */
  #groupByField(
    read: () => readonly FormProblem[],
  ): ReadonlySignal<ReadonlyMap<string, readonly string[]>> {
    let byField: ReadonlyMap<string, readonly string[]> = new Map();
    return computed(() => {
      const next = problemsByField(this.root, this.#value.value, read());
      if (JSON.stringify([...next]) !== JSON.stringify([...byField])) byField = next;
      return byField;
    });
  }

  /** Whether a value is absent, and the person has not left its field, or JSON text around it. */
  #isUntouched(pointer: string): boolean {
    if (nodeAt(this.#value.value, parsePointer(pointer)) !== undefined) return false;
    return ![...this.#left.value].some(
      (left) => pointer === left || pointer.startsWith(`${left}/`),
    );
  }

  /** The value with its drafts. Reading it subscribes a component. */
  get value(): FormNode {
    return this.#value.value;
  }

  /**
   * The value as JSON for the tool, with the digits of numbers as typed: insert it as text, since `JSON.parse` rounds
   * integers beyond 2^53. Undefined while a draft blocks sending.
   */
  get json(): string | undefined {
    return this.#drafts.value.length > 0 ? undefined : compactJson(this.value);
  }

  /** The text of the JSON view: JSON, or a draft of it. It restores the form: `new Form({ schema, text })`. */
  get text(): string {
    return jsonText(this.value);
  }

  /**
   * The value as JSON without secrets and drafts, for addresses and storage: values of `writeOnly` members, and of those
   * with the format `password`, are removed. Undefined if nothing remains.
   */
  get publicJson(): string | undefined {
    return publicJson(this.root, this.value);
  }

  /** Problems of the value: its drafts, otherwise those of the last check. */
  get problems(): readonly FormProblem[] {
    return this.#drafts.value.length > 0 ? this.#drafts.value : this.#problems.value;
  }

  /** The messages of problems by the JSON pointer of the field that shows them. */
  get problemsByField(): ReadonlyMap<string, readonly string[]> {
    return this.#byField.value;
  }

  /**
   * The problems that a person sees: that a value is absent is a problem of its field only after the person has left it or
   * has tried to send.
   */
  get displayedProblems(): readonly FormProblem[] {
    return this.#displayed.value;
  }

  /** The messages of `displayedProblems` by the JSON pointer of the field that shows them. */
  get displayedByField(): ReadonlyMap<string, readonly string[]> {
    return this.#displayedByField.value;
  }

  /** Notes that the person has left a field. */
  leave(pointer: string): void {
    const left = this.#left.peek();
    if (!left.has(pointer)) this.#left.value = new Set([...left, pointer]);
  }

  /** Sets the problems of the last check. */
  setProblems(problems: readonly FormProblem[]): void {
    if (JSON.stringify(problems) !== JSON.stringify(this.#problems.peek())) {
      this.#problems.value = problems;
    }
  }

  /** Replaces the whole value by JSON text, as if typed into the JSON view. */
  setText(text: string): void {
    this.#set(editAt(this.#value.peek(), [], setJson(text, false)));
  }

  /** Replaces the whole value by an empty one. */
  clear(): void {
    this.#left.value = new Set();
    this.#isSendingTried.value = false;
    this.#set(initialNode(this.root, this.schema));
  }

  /** Edits the value at a path. */
  edit(path: FormPath, edit: Edit): void {
    const pinned = pinBranches(this.root, this.#value.peek(), path);
    const next = editAt(pinned, path, edit);
    if (next !== pinned) this.#set(next);
  }

  #set(next: FormNode): void {
    if (next === this.#value.peek()) return;
    this.#value.value = next;
    this.#onChange?.(this);
  }

  get isSummaryVisible(): boolean {
    return this.#isSummaryVisible.value;
  }

  /**
   * For the moment of sending: if there are problems, shows their summary with links to the fields and moves the focus to
   * it.
   *
   * @returns true if the value has no problems.
   */
  reportProblems(): boolean {
    const isValid = this.problems.length === 0;
    this.#isSendingTried.value = true;
    this.#isSummaryVisible.value = !isValid;
    if (!isValid) this.focusRequest.value = { pointer: "", part: "summary" };
    return isValid;
  }

  /** Opens what is collapsed around a field, and moves the focus to it. */
  reveal(pointer: string): void {
    let place = "";
    let node: FormNode | undefined = this.#value.peek();
    for (const step of pointer.split("/").slice(1)) {
      if (node !== undefined) this.disclosure.open(node.id, placeIndex(node, step));
      place = `${place}/${step}`;
      node = findChild(node, stepFrom(step));
    }
    if (node !== undefined) this.disclosure.open(node.id);
    this.focusRequest.value = { pointer: place, part: "control" };
  }
}

function stepFrom(token: string): PathStep {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

function placeIndex(node: FormNode, token: string): number | undefined {
  return node.kind === "array" ? Number(token) : undefined;
}
