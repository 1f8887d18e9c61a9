import { walkDocument } from "../walk-document.ts";

/** Members that are texts in every object of a document that is not data. */
const textMembers: ReadonlySet<string> = new Set([
  "name",
  "operationId",
  "summary",
  "description",
  "title",
  "url",
  "propertyName",
  "defaultMapping",
  "format",
  "pattern",
]);

/** Members that are lists of texts. A member that is no list has another meaning. */
const textLists: ReadonlySet<string> = new Set(["required", "tags"]);

/** Members of a schema whose values are data: only its types make them texts. */
const dataMembers: ReadonlySet<string> = new Set(["enum", "const", "default"]);

/** The written texts of the values of `enum` and `const`: the types of a schema may be in another one. */
const dataTexts = new WeakMap<object, ReadonlyMap<string | number, string>>();

/** Returns the text that is written for an item of `enum`, or for `const`; undefined if it is that of the value. */
export function getWrittenText(container: object, key: string | number): string | undefined {
  return dataTexts.get(container)?.get(key);
}

type Container = Record<string | number, unknown>;

/**
 * The scalars of a YAML text that its author wrote without quotes where the specification has a text: `name: 404`,
 * `required: [01]`. YAML reads them as numbers, booleans or null.
 */
export class WrittenTexts {
  /** The written texts of members and items that differ from those of their values. */
  readonly #sources = new Map<object, Map<string | number, string>>();
  /** Objects with a scalar that may have to become a text. */
  readonly #candidates = new Set<object>();

  /** Keeps the written text of a member or an item. */
  keep(container: object, key: string | number, written: string): void {
    const sources = this.#sources.get(container);
    if (sources === undefined) this.#sources.set(container, new Map([[key, written]]));
    else sources.set(key, written);
  }

  /** Returns the written text of a member or an item, if it was kept. */
  getWritten(container: object, key: string | number): string | undefined {
    return this.#sources.get(container)?.get(key);
  }

  /**
   * Takes a member that is not a text.
   *
   * @param written the text that its author wrote, if that is not the text of its value.
   */
  takeMember(record: object, key: string, value: unknown, written: string | undefined): void {
    if (written !== undefined) this.keep(record, key, written);
    let isText: boolean;
    if (Array.isArray(value)) {
      isText =
        (textLists.has(key) && value.some(isScalar)) ||
        (dataMembers.has(key) && this.#sources.has(value));
    } else if (value === null) {
      isText = key === "name" || key === "type";
    } else if (typeof value !== "object") {
      isText = textMembers.has(key) || (dataMembers.has(key) && written !== undefined);
    } else return;
    if (isText) this.#candidates.add(record);
  }

  /** Replaces scalars by the texts that are written where the specification has texts, and nowhere else. */
  apply(root: unknown): void {
    if (this.#candidates.size === 0) return;
    walkDocument(root, undefined, (node) => {
      if (this.#candidates.has(node)) this.#applyTo(node as Container);
      return undefined;
    });
  }

  #applyTo(node: Container): void {
    for (const key of textMembers) {
      // Generators write null for a member that is absent; only a parameter must have a name.
      if (node[key] !== null || (key === "name" && node["in"] !== undefined)) {
        this.#toText(node, key);
      }
    }
    for (const key of textLists) this.#toTexts(node[key], () => true);
    if (node["type"] === null) this.#toText(node, "type");
    this.#keepTexts(node["enum"]);
    this.#keepTexts(node);
    const hasDefault = node["default"] !== null && this.getWritten(node, "default") !== undefined;
    if (node["type"] === "string" && hasDefault) this.#toText(node, "default");
  }

  #keepTexts(container: unknown): void {
    const texts = this.#sources.get(container as object);
    if (texts !== undefined) dataTexts.set(container as object, texts);
  }

  #toTexts(list: unknown, isText: (item: unknown, index: number) => boolean): void {
    if (!Array.isArray(list)) return;
    for (const [index, item] of list.entries()) {
      if (isText(item, index)) this.#toText(list as unknown as Container, index);
    }
  }

  #toText(container: Container, key: string | number): void {
    const value = container[key];
    if (!isScalar(value)) return;
    const text = this.getWritten(container, key) ?? String(value);
    // An empty value is none.
    if (text !== "") container[key] = text;
  }
}

function isScalar(value: unknown): value is number | boolean | null {
  return typeof value === "number" || typeof value === "boolean" || value === null;
}
