import type { DocumentContext } from "./document-context.ts";
import { childLocation, itemLocations } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import { DanglingReference } from "../document/operation.ts";
import type { Encoding, Encodings, Parameter, ParameterStyle } from "../document/operation.ts";
import { isRecord, ownString, ownValue, setOwn } from "../document/record.ts";

// Set by whoever writes the part: its type is `contentType`, its name the property's (OpenAPI 3.2, "Encoding Object").
const partHeaders: ReadonlySet<string> = new Set(["content-type", "content-disposition"]);

const styles: readonly ParameterStyle[] = ["form", "spaceDelimited", "pipeDelimited", "deepObject"];

const deepest = 4;

/**
 * The encodings of a media type, or of a part that has parts itself; nested at most four deep.
 *
 * @throws {OperationError} a schema is broken.
 */
export function readEncodings(owner: Location, context: DocumentContext, depth = 0): Encodings {
  if (depth === deepest || !isRecord(owner.value)) return {};
  const { encoding, prefixEncoding, itemEncoding } = owner.value;
  return {
    ...(isRecord(encoding)
      ? { encoding: byName(childLocation(owner, "encoding"), context, depth) }
      : {}),
    ...(Array.isArray(prefixEncoding)
      ? {
          prefixEncoding: itemLocations(childLocation(owner, "prefixEncoding")).map((item) =>
            readEncoding(item, context, depth),
          ),
        }
      : {}),
    ...(isRecord(itemEncoding)
      ? { itemEncoding: readEncoding(childLocation(owner, "itemEncoding"), context, depth) }
      : {}),
  };
}

function byName(
  owner: Location,
  context: DocumentContext,
  depth: number,
): Readonly<Record<string, Encoding>> {
  const encodings: Record<string, Encoding> = {};
  for (const name of Object.keys(owner.value as object)) {
    setOwn(encodings, name, readEncoding(childLocation(owner, name), context, depth));
  }
  return encodings;
}

function readEncoding(location: Location, context: DocumentContext, depth: number): Encoding {
  const { value } = location;
  if (!isRecord(value)) return {};
  const contentType = ownString(value, "contentType");
  const style = styles.find((one) => one === value["style"]);
  const { explode, allowReserved } = value;
  const headers = readHeaders(childLocation(location, "headers"), context);
  return {
    ...(contentType === undefined ? {} : { contentType }),
    ...(headers.length === 0 ? {} : { headers }),
    ...(style === undefined ? {} : { style }),
    ...(typeof explode === "boolean" ? { explode } : {}),
    ...(typeof allowReserved === "boolean" ? { allowReserved } : {}),
    ...readEncodings(location, context, depth + 1),
  };
}

function readHeaders(owner: Location, context: DocumentContext): readonly Parameter[] {
  if (!isRecord(owner.value)) return [];
  return Object.keys(owner.value)
    .filter((name) => !partHeaders.has(name.toLowerCase()))
    .flatMap((name) => {
      try {
        return readHeader(name, context.resolver.follow(childLocation(owner, name)), context);
      } catch (error) {
        if (!(error instanceof DanglingReference)) throw error;
        context.reportDangling(error, `the header ${JSON.stringify(name)} is left out`);
        return [];
      }
    });
}

/** A Header Object is a parameter whose name and place are said elsewhere (OpenAPI 3.2, "Header Object"). */
function readHeader(
  name: string,
  location: Location,
  { schemas, resolver }: DocumentContext,
): Parameter {
  const { value } = location;
  const description = ownString(value, "description");
  const content = childLocation(location, "content");
  const [mediaType] = isRecord(content.value) ? Object.keys(content.value) : [];
  const owner =
    mediaType === undefined ? location : resolver.follow(childLocation(content, mediaType));
  return {
    name,
    in: "header",
    required: ownValue(value, "required") === true,
    ...(description === undefined ? {} : { description }),
    deprecated: ownValue(value, "deprecated") === true,
    style: "simple",
    explode: ownValue(value, "explode") === true,
    allowReserved: false,
    ...(mediaType === undefined ? {} : { mediaType }),
    schema: schemas.schemaAt(childLocation(owner, "schema"), "request"),
  };
}

/** Every header of the encodings, however deep. */
export function encodedHeaders({ encoding, prefixEncoding, itemEncoding }: Encodings): Parameter[] {
  const all = [
    ...Object.values(encoding ?? {}),
    ...(prefixEncoding ?? []),
    ...(itemEncoding === undefined ? [] : [itemEncoding]),
  ];
  return all.flatMap((one) => [...(one.headers ?? []), ...encodedHeaders(one)]);
}
