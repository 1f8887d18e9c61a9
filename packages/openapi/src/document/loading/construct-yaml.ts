import type { AliasEvent, Event, ScalarEvent, ScalarTagDefinition } from "js-yaml";
import { isRecord, setOwn } from "../record.ts";
import { WrittenTexts } from "./written-texts.ts";

export type YamlModule = typeof import("js-yaml");

/** Maximum number of objects and keys that all merges of a text may read. */
const maxMerged = 10_000;
/** Maximum number of values of a document after its aliases are expanded. */
const maxExpandedValues = 5_000_000;

/** The document of a YAML text. */
export interface YamlDocument {
  readonly value: unknown;
  /** Line of the first key that its object already has, from 1: the last of equal keys is used. */
  readonly duplicateLine?: number;
}

/**
 * Constructs the document of YAML events by the core schema of YAML 1.2, with merge keys. Keys are the texts that are
 * written, and so are scalars that have to be texts by the OpenAPI specification; the library's own constructor does not
 * keep them. Unknown tags are ignored: no document uses one that would change its content.
 *
 * @throws {YAMLException} there is not exactly one document, or a key, an alias, a merge or a tag is not valid.
 * @throws {Error} the aliases contain themselves, or expand excessively.
 */
export function constructYaml(
  events: readonly Event[],
  source: string,
  yaml: YamlModule,
): YamlDocument {
  return new YamlConstructor(source, yaml).construct(events);
}

/** An object or a list whose members are being read. */
class Frame {
  readonly list: unknown[] | undefined;
  readonly record: Record<string, unknown> | undefined;
  /** The key whose value is next. */
  key: string | undefined;
  keyPosition = 0;
  /** The key is `<<`. */
  isMerge = false;
  /** Keys that merges have set: an own key replaces them. */
  merged: Set<string> | undefined;

  constructor(container: Record<string, unknown> | unknown[]) {
    if (Array.isArray(container)) this.list = container;
    else this.record = container;
  }
}

/** A value that an anchor names, and the text that is written if that is not the value's: `01`, `1.10`, `~`. */
interface Anchor {
  readonly value: unknown;
  readonly written: string | undefined;
}

class YamlConstructor {
  readonly #source: string;
  readonly #yaml: YamlModule;
  readonly #types: ScalarTypes;
  readonly #texts = new WrittenTexts();
  readonly #anchors = new Map<string, Anchor>();
  readonly #documents: unknown[][] = [];
  readonly #frames: Frame[] = [];
  #frame = new Frame(this.#documents);
  #merged = 0;
  #hasAliases = false;
  #duplicatePosition: number | undefined;

  constructor(source: string, yaml: YamlModule) {
    this.#source = source;
    this.#yaml = yaml;
    this.#types = getScalarTypes(yaml);
  }

  construct(events: readonly Event[]): YamlDocument {
    const { EVENT_ID } = this.#yaml;
    for (const event of events) {
      switch (event.type) {
        case EVENT_ID.SCALAR:
          this.#addScalar(event);
          break;
        case EVENT_ID.MAPPING:
          this.#open({}, event);
          break;
        case EVENT_ID.SEQUENCE:
          this.#open([], event);
          break;
        case EVENT_ID.POP:
          this.#close();
          break;
        case EVENT_ID.ALIAS:
          this.#addAlias(event);
          break;
        case EVENT_ID.DOCUMENT:
          this.#anchors.clear();
          this.#open([]);
      }
    }
    return this.#toDocument();
  }

  #toDocument(): YamlDocument {
    const [document, another] = this.#documents;
    if (document === undefined || another !== undefined) {
      const reason = another === undefined ? "it has no document" : "it has several documents";
      throw new this.#yaml.YAMLException(reason);
    }
    const [value] = document;
    if (this.#hasAliases) assertBounded(value);
    this.#texts.apply(value);
    if (this.#duplicatePosition === undefined) return { value };
    const before = this.#source.slice(0, this.#duplicatePosition);
    return { value, duplicateLine: before.split(/\r\n?|\n/).length };
  }

  #open(container: Record<string, unknown> | unknown[], event?: Positioned): void {
    if (event !== undefined) {
      if (this.#isKeyNext()) this.#fail(event.start, "a key is an object or a list");
      this.#setAnchor(event, container, undefined);
    }
    this.#frames.push(this.#frame);
    this.#frame = new Frame(container);
  }

  #close(): void {
    const { record, list } = this.#frame;
    this.#frame = this.#frames.pop() as Frame;
    this.#add(record ?? list, undefined);
  }

  #isKeyNext(): boolean {
    return this.#frame.record !== undefined && this.#frame.key === undefined;
  }

  #addScalar(event: ScalarEvent): void {
    const text = this.#yaml.getScalarValue(this.#source, event);
    const isKey = this.#isKeyNext();
    if (isKey) this.#setKey(text, event);
    if (isKey && event.anchorStart === -1) return;
    const value = this.#resolve(text, event);
    const written = typeof value === "string" || String(value) === text ? undefined : text;
    if (event.anchorStart !== -1) this.#setAnchor(event, value, written);
    if (!isKey) this.#add(value, written);
  }

  #setKey(text: string, { valueStart, tagStart, style }: ScalarEvent): void {
    this.#frame.key = text;
    this.#frame.keyPosition = Math.max(valueStart, 0);
    this.#frame.isMerge =
      text === "<<" && tagStart === -1 && style === this.#yaml.SCALAR_STYLE.PLAIN;
  }

  #resolve(text: string, event: ScalarEvent): unknown {
    if (event.tagStart !== -1) return this.#resolveTagged(text, event);
    if (event.style !== this.#yaml.SCALAR_STYLE.PLAIN) return text;
    for (const type of this.#types.byFirstCharacter.get(text.charAt(0)) ?? []) {
      const value: unknown = type.resolve(text, false, type.tagName);
      if (value !== this.#yaml.NOT_RESOLVED) return value;
    }
    return text;
  }

  #resolveTagged(text: string, { tagStart, tagEnd }: ScalarEvent): unknown {
    const tag = this.#source.slice(tagStart, tagEnd);
    const [, name] = /^!(?:!|<tag:yaml\.org,2002:)(\w+)>?$/.exec(tag) ?? [];
    const type = this.#types.all.find(({ tagName }) => tagName === `tag:yaml.org,2002:${name}`);
    if (type === undefined) return text;
    const value: unknown = type.resolve(text, true, type.tagName);
    if (value === this.#yaml.NOT_RESOLVED)
      this.#fail(tagStart, `a value is not of the type ${name}`);
    return value;
  }

  #addAlias({ anchorStart, anchorEnd }: AliasEvent): void {
    const name = this.#source.slice(anchorStart, anchorEnd);
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) return this.#fail(anchorStart, `unidentified alias "${name}"`);
    this.#hasAliases = true;
    const { value, written } = anchor;
    if (!this.#isKeyNext()) return this.#add(value, written);
    if (typeof value === "object" && value !== null) {
      this.#fail(anchorStart, "a key is an object or a list");
    }
    this.#frame.key = written ?? String(value);
    this.#frame.keyPosition = anchorStart;
    this.#frame.isMerge = false;
  }

  #setAnchor({ anchorStart, anchorEnd }: Anchored, value: unknown, written?: string): void {
    if (anchorStart === -1) return;
    this.#anchors.set(this.#source.slice(anchorStart, anchorEnd), { value, written });
  }

  /** Adds an item, or the value of the current key. */
  #add(value: unknown, written: string | undefined): void {
    const { list, record, key } = this.#frame;
    if (list !== undefined) {
      if (written !== undefined) this.#texts.keep(list, list.length, written);
      list.push(value);
    } else if (record !== undefined && key !== undefined) {
      this.#frame.key = undefined;
      if (this.#frame.isMerge) this.#mergeAll(record, value);
      else this.#setMember(record, key, value, written);
    }
  }

  #setMember(
    record: Record<string, unknown>,
    key: string,
    value: unknown,
    written: string | undefined,
  ): void {
    let text = written;
    if (Object.hasOwn(record, key)) {
      // The value that is replaced may have a written text.
      text ??= String(value);
      if (this.#frame.merged?.delete(key) !== true) {
        this.#duplicatePosition ??= this.#frame.keyPosition;
      }
    }
    if (typeof value !== "string") this.#texts.takeMember(record, key, value, text);
    setOwn(record, key, value);
  }

  #mergeAll(record: Record<string, unknown>, value: unknown): void {
    this.#frame.merged ??= new Set();
    for (const source of Array.isArray(value) ? value : [value]) {
      if (!isRecord(source)) this.#fail(this.#frame.keyPosition, "a merged value is not an object");
      this.#countMerged();
      for (const [key, member] of Object.entries(source)) {
        this.#countMerged();
        if (Object.hasOwn(record, key)) continue;
        this.#frame.merged.add(key);
        this.#texts.takeMember(record, key, member, this.#texts.getWritten(source, key));
        setOwn(record, key, member);
      }
    }
  }

  #countMerged(): void {
    if (++this.#merged <= maxMerged) return;
    this.#fail(this.#frame.keyPosition, `merges read more than ${maxMerged} keys`);
  }

  #fail(position: number, reason: string): never {
    return this.#yaml.YAMLException.throwAt(this.#source, position, reason);
  }
}

type Anchored = Pick<AliasEvent, "anchorStart" | "anchorEnd">;
type Positioned = Anchored & { readonly start: number };

/** The types of scalars other than texts. */
interface ScalarTypes {
  readonly all: readonly ScalarTagDefinition[];
  readonly byFirstCharacter: ReadonlyMap<string, readonly ScalarTagDefinition[]>;
}

function getScalarTypes(yaml: YamlModule): ScalarTypes {
  const all = [yaml.nullCoreTag, yaml.boolCoreTag, yaml.intCoreTag, yaml.floatCoreTag];
  const byFirstCharacter = new Map<string, ScalarTagDefinition[]>();
  for (const type of all) {
    for (const first of type.implicitFirstChars ?? []) {
      byFirstCharacter.set(first, [...(byFirstCharacter.get(first) ?? []), type]);
    }
  }
  return { all, byFirstCharacter };
}

/** Refuses aliases that contain themselves or expand excessively ("billion laughs"). */
function assertBounded(root: unknown): void {
  const sizes = new Map<object, number>();
  const measure = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 1;
    const known = sizes.get(value);
    if (known === -1) throw new Error("an alias contains itself");
    if (known !== undefined) return known;
    sizes.set(value, -1);
    let size = 1;
    for (const item of Array.isArray(value) ? value : Object.values(value)) size += measure(item);
    if (size > maxExpandedValues) {
      throw new Error(`its aliases expand to more than ${maxExpandedValues} values`);
    }
    sizes.set(value, size);
    return size;
  };
  measure(root);
}
