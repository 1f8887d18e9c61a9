import type { JsonValue } from "@toolweave/core";
import { isAlias, isMap, isNode, isPair, isScalar, isSeq, Scalar } from "yaml";
import type { Document, Pair } from "yaml";
import type { Finding } from "./finding.ts";
import type { TextLines } from "./lines.ts";
import type { PlacedText, RecordedPlaces, ValuePath } from "./value-places.ts";

/** How many aliases one front matter may expand. */
const maxAliases = 20;

/** How deep maps and lists may be nested. */
const maxDepth = 40;

const coreTags = new Set(
  ["str", "int", "float", "bool", "null", "map", "seq"].map((tag) => `tag:yaml.org,2002:${tag}`),
);

/** Changes the nodes of a document into values, and records their places. */
export class YamlReader {
  readonly findings: Finding[] = [];
  readonly #document: Document;
  readonly #lines: TextLines;
  readonly #places: RecordedPlaces;
  #aliases = 0;

  constructor(document: Document, lines: TextLines, places: RecordedPlaces) {
    this.#document = document;
    this.#lines = lines;
    this.#places = places;
  }

  /** The value of a node. What cannot be read is `null`, with a finding. */
  read(node: unknown, path: ValuePath): JsonValue {
    if (path.length > maxDepth)
      return this.#fail(node, path, "yaml_depth", "maps and lists are nested too deeply");
    if (isNode(node) && node.tag !== undefined && !coreTags.has(node.tag))
      return this.#fail(
        node,
        path,
        "yaml_tag",
        `the tag ${node.tag.replace("tag:yaml.org,2002:", "!!")} is not supported`,
        "Only the plain values of YAML 1.2 are read: remove the tag, or put the text in quotes.",
      );
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      if (target === undefined)
        return this.#fail(
          node,
          path,
          "yaml_alias",
          `the value *${node.source} refers to an anchor that does not exist`,
          `Put the text in quotes: "*${node.source}".`,
        );
      if (++this.#aliases > maxAliases)
        return this.#aliases > maxAliases + 1
          ? null
          : this.#fail(
              node,
              path,
              "yaml_alias",
              `the front matter has more than ${maxAliases} aliases`,
              "Write the values out.",
            );
      return this.read(target, path);
    }
    if (isMap(node)) {
      const entries: Record<string, JsonValue> = {};
      for (const pair of node.items) this.#readPair(pair, path, entries);
      return entries;
    }
    if (isSeq(node))
      return node.items.map((item, index) => {
        const below = [...path, index];
        this.#places.add(below, {
          value: () => this.#findPlace(item, path),
          text: () => this.#toText(item),
        });
        return this.read(isPair(item) ? null : item, below);
      });
    return this.#readScalar(node, path);
  }

  #readPair(pair: Pair, path: ValuePath, into: Record<string, JsonValue>): void {
    const key = pair.key;
    if (!isScalar(key) || key.value === null) {
      this.#fail(key, path, "yaml_key", "a key must be a text");
      return;
    }
    const name = typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
    const below = [...path, name];
    const toKeyPlace = (): PlacedText["place"] => this.#findPlace(key, path);
    this.#places.add(below, {
      key: toKeyPlace,
      value: () => (hasRange(pair.value) ? this.#findPlace(pair.value, below) : toKeyPlace()),
      text: () => this.#toText(pair.value),
    });
    // The key `__proto__` is a key like others.
    Object.defineProperty(into, name, {
      value: this.read(pair.value, below),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }

  #readScalar(node: unknown, path: ValuePath): JsonValue {
    const value = isScalar(node) ? node.value : null;
    this.#checkComment(node, path);
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        if (Number.isFinite(value)) return value;
        return this.#fail(node, path, "yaml_number", `${String(value)} is no number of JSON`);
      default:
        return null;
    }
  }

  /** A text such as `Fix #12` ends before the `#` (YAML 1.2.2, section 6.6): a comment of people has a space after it. */
  #checkComment(node: unknown, path: ValuePath): void {
    if (!isScalar(node) || node.type !== Scalar.PLAIN || typeof node.value !== "string") return;
    if (!/^[^\s#!]/.test(node.comment ?? "")) return;
    this.findings.push({
      ...this.#findPlace(node, path),
      code: "yaml_comment",
      severity: "warning",
      message: `the text ends before " #${(node.comment ?? "").slice(0, 20)}": the rest of the line is a comment`,
      hint: "Put the whole text in quotes, or write a space after the # of a comment.",
    });
  }

  #toText(node: unknown): PlacedText | undefined {
    if (!isScalar(node) || typeof node.value !== "string" || !hasRange(node)) return undefined;
    const [start, end] = node.range;
    const isJoined = this.#lines.text.slice(start, end).includes("\n");
    switch (node.type) {
      case Scalar.BLOCK_LITERAL:
        return { style: "literal", place: this.#blockPlace(node.range), isJoined: false };
      case Scalar.BLOCK_FOLDED:
        return { style: "folded", place: this.#blockPlace(node.range), isJoined };
      case Scalar.QUOTE_DOUBLE:
      case Scalar.QUOTE_SINGLE:
        return { style: "quoted", place: this.#lines.place(start + 1), isJoined };
      default:
        return { style: "plain", place: this.#lines.place(start), isJoined };
    }
  }

  /** The place of the first character of a block: the line after its header, behind the indentation. */
  #blockPlace(range: readonly number[]): PlacedText["place"] {
    const source = this.#lines.text.slice(range[0], range[1]);
    const [header = "", ...lines] = source.split("\n");
    const { line, file } = this.#lines.place(range[0] as number);
    const explicit = /[1-9]/.exec(header)?.[0];
    const indentation = lines.find((text) => text.trim() !== "")?.search(/[^ ]/) ?? 0;
    const above = /^ */.exec(this.#lines.lineAt(range[0] as number).text)?.[0].length ?? 0;
    return {
      file,
      line: line + 1,
      column: 1 + (explicit === undefined ? indentation : above + Number(explicit)),
    };
  }

  #findPlace(node: unknown, path: ValuePath): PlacedText["place"] {
    return hasRange(node) ? this.#lines.place(node.range[0]) : this.#places.value(path);
  }

  #fail(node: unknown, path: ValuePath, code: string, message: string, hint?: string): null {
    this.#places.addFault(path);
    this.findings.push({
      ...this.#findPlace(node, path),
      code,
      severity: "error",
      message,
      ...(hint !== undefined && { hint }),
    });
    return null;
  }
}

function hasRange(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return (
    typeof node === "object" && node !== null && Array.isArray((node as { range?: unknown }).range)
  );
}
