import { parseDocument } from "yaml";
import { TextLines } from "./lines.ts";
import { RecordedPlaces, samePlace } from "./value-places.ts";
import type { ValuePlaces } from "./value-places.ts";
import { YamlReader } from "./yaml-values.ts";

/**
 * The places of the keys and values of a JSON text, which is YAML, too. Its texts have no places: escapes move their
 * characters. If the text is invalid, everything has the place of its first character.
 */
export function jsonPlaces(file: string, text: string): ValuePlaces {
  const start = { file, line: 1, column: 1 };
  const places = new RecordedPlaces(start);
  try {
    const document = parseDocument(text, { keepSourceTokens: true, prettyErrors: false });
    new YamlReader(document, new TextLines(file, text), places).read(document.contents, []);
  } catch (error) {
    // The parser calls itself for each level of nesting.
    if (!(error instanceof RangeError)) throw error;
    return samePlace(start);
  }
  return {
    key: (path) => places.key(path),
    value: (path) => places.value(path),
    text: () => undefined,
    isFaulty: () => false,
  };
}
