import type { JsonValue } from "@toolweave/core";
import { isObject, nearNames, visibleText } from "@toolweave/core/adapter";
import { scanText } from "@toolweave/core/scan";
import type { FrontMatter } from "../text/front-matter.ts";
import type { Finding, Place } from "../text/finding.ts";
import { skillLimits } from "./skill.ts";

/** Reads the fields of a front matter, and collects what is wrong with them. */
export class FieldReader {
  readonly findings: Finding[];
  readonly #front: FrontMatter;

  constructor(front: FrontMatter) {
    this.#front = front;
    this.findings = [...front.findings];
  }

  add(
    severity: Finding["severity"],
    place: Place,
    code: string,
    message: string,
    hint?: string,
  ): void {
    this.findings.push({
      ...place,
      code,
      severity,
      message,
      ...(hint === undefined ? {} : { hint }),
    });
  }

  /** A text of at most `max` characters that is not blank. Absent: undefined, with an error if it is required. */
  text(
    key: string,
    { max, isRequired = false, hint }: { max: number; isRequired?: boolean; hint: string },
  ): string | undefined {
    const { values, places } = this.#front;
    const value = values[key];
    if (value === undefined) {
      if (isRequired && !this.#hasFault(key)) {
        const place = { file: this.#front.file, line: 1, column: 1 };
        this.add("error", place, "missing_field", `${key} is missing`, hint);
      }
      return undefined;
    }
    if (places.isFaulty([key])) return undefined;
    const place = places.value([key]);
    if (typeof value !== "string") {
      const given = value === null ? "empty" : typeName(value);
      this.add("error", place, "wrong_type", `${key} must be a text and is ${given}`, hint);
      return undefined;
    }
    const { length } = [...value];
    if (value.trim() === "") {
      this.add("error", place, "empty_field", `${key} is empty`, hint);
      return undefined;
    }
    if (length > max) {
      const message = `${key} has ${length} characters: at most ${max} are allowed`;
      this.add("error", place, "too_long", message, "Move details into the body.");
    }
    return value;
  }

  /** A whole number of at least 1. */
  count(key: string): number | undefined {
    const { values, places } = this.#front;
    const value = values[key];
    if (value === undefined || places.isFaulty([key])) return undefined;
    if (Number.isInteger(value) && (value as number) >= 1) return value as number;
    this.add("error", places.value([key]), "wrong_type", `${key} must be a whole number above 0`);
    return undefined;
  }

  /** A list of texts, or a text with commas between them. */
  names(key: string): readonly string[] {
    const { values, places } = this.#front;
    const value = values[key];
    if (value === undefined || value === null || places.isFaulty([key])) return [];
    const list = typeof value === "string" ? value.split(",") : value;
    if (Array.isArray(list) && list.every((entry) => typeof entry === "string"))
      return list.map((entry) => entry.trim()).filter((entry) => entry !== "");
    this.add("error", places.value([key]), "wrong_type", `${key} must be a list of texts`);
    return [];
  }

  /** A map of texts. Other values are texts with a warning: YAML reads `1.0` as the number 1. */
  textMap(key: string): Readonly<Record<string, string>> {
    const { values, places } = this.#front;
    const value = values[key];
    if (value === undefined || value === null || places.isFaulty([key])) return {};
    if (!isObject(value)) {
      this.add("error", places.value([key]), "wrong_type", `${key} must be a map of texts`);
      return {};
    }
    const entries = Object.entries(value);
    if (entries.length > skillLimits.metadataKeys) {
      const message = `${key} has more than ${skillLimits.metadataKeys} keys`;
      this.add("error", places.key([key]), "too_many", message);
    }
    return Object.fromEntries(
      entries.slice(0, skillLimits.metadataKeys).map(([name, member]) => {
        const place = places.value([key, name]);
        const text = typeof member === "string" ? member : JSON.stringify(member);
        if (typeof member !== "string" && !places.isFaulty([key, name])) {
          const message = `${key}.${name} must be a text and is ${typeName(member)}`;
          this.add("warning", place, "metadata_type", message, `Write ${name}: "…" in quotes.`);
        }
        if (text.length > skillLimits.metadataValue) {
          const message = `${key}.${name} has more than ${skillLimits.metadataValue} characters`;
          this.add("error", place, "too_long", message);
        }
        return [name, text];
      }),
    );
  }

  /** Reports keys that have no meaning. They are kept in the front matter. */
  unknownKeys(known: readonly string[], where: string): void {
    for (const key of Object.keys(this.#front.values)) {
      if (known.includes(key)) continue;
      const [near] = nearNames(key, known, 1);
      const hint = near === undefined ? "It is kept, and has no effect." : `Write ${near}.`;
      const place = this.#front.places.key([key]);
      this.add("warning", place, "unknown_key", `${where} has no key ${key.slice(0, 80)}`, hint);
    }
  }

  /** Reports texts for a model that give it orders or hide characters. */
  scan(key: string, text: string): void {
    const place = this.#front.places.value([key]);
    const visible = visibleText(text);
    if (visible !== text) {
      const message = `${key} has characters that are not displayed`;
      this.add("warning", place, "hidden_characters", message, "Remove them.");
    }
    for (const { says, excerpt } of scanText(visible)) {
      const message = `${key} ${says}: ${JSON.stringify(excerpt)}`;
      const hint = "A model reads it with every list of tools. Read it before you trust it.";
      this.add("warning", place, "suspicious_text", message, hint);
    }
  }

  /** Whether a fault of the file explains that a key is missing. */
  #hasFault(key: string): boolean {
    return !this.#front.isReadable || this.#front.places.isFaulty([key]);
  }
}

function typeName(value: JsonValue): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : `a ${typeof value}`;
}
