import type { DocumentContext } from "./document-context.ts";
import { getChild, getItems } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import { DanglingReference } from "../document/operation.ts";
import type { Encoding, Encodings, Parameter, ParameterStyle } from "../document/operation.ts";
import { isRecord, ownString, ownValue, setOwn } from "../document/record.ts";

// The writer of a part sets them: its type is `contentType`, its name that of the property (OpenAPI 3.2, "Encoding
// Object").
const partHeaders: ReadonlySet<string> = new Set(["content-type", "content-disposition"]);

const styles: readonly ParameterStyle[] = ["form", "spaceDelimited", "pipeDelimited", "deepObject"];

const deepest = 4;

/**
 * Reads the encodings of a media type, or of a part that consists of parts; nested at most four deep.
 *
 * @throws {OperationError} a schema is invalid.
 */
export function readEncodings(owner: Location, context: DocumentContext, depth = 0): Encodings {
  if (depth === deepest || !isRecord(owner.value)) return {};
  const { encoding, prefixEncoding, itemEncoding } = owner.value;
  return {
    ...(isRecord(encoding)
      ? { encoding: readEncodingsByName(getChild(owner, "encoding"), context, depth) }
      : {}),
    ...(Array.isArray(prefixEncoding)
      ? {
          prefixEncoding: getItems(getChild(owner, "prefixEncoding")).map((item) =>
            readEncoding(item, context, depth),
          ),
        }
      : {}),
    ...(isRecord(itemEncoding)
      ? { itemEncoding: readEncoding(getChild(owner, "itemEncoding"), context, depth) }
      : {}),
  };
}

function readEncodingsByName(
  owner: Location,
  context: DocumentContext,
  depth: number,
): Readonly<Record<string, Encoding>> {
  const encodings: Record<string, Encoding> = {};
  for (const name of Object.keys(owner.value as object)) {
    setOwn(encodings, name, readEncoding(getChild(owner, name), context, depth));
  }
  return encodings;
}

function readEncoding(location: Location, context: DocumentContext, depth: number): Encoding {
  const { value } = location;
  if (!isRecord(value)) return {};
  const contentType = ownString(value, "contentType");
  const style = styles.find((one) => one === value["style"]);
  const { explode, allowReserved } = value;
  const headers = readHeaders(getChild(location, "headers"), context);
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
        return readHeader(name, context.resolver.follow(getChild(owner, name)), context);
      } catch (error) {
        if (!(error instanceof DanglingReference)) throw error;
        context.reportDangling(error, `the header ${JSON.stringify(name)} is omitted`);
        return [];
      }
    });
}

/** Reads a Header Object: a parameter whose name and location are implied (OpenAPI 3.2, "Header Object"). */
function readHeader(
  name: string,
  location: Location,
  { schemas, resolver }: DocumentContext,
): Parameter {
  const { value } = location;
  const description = ownString(value, "description");
  const content = getChild(location, "content");
  const [mediaType] = isRecord(content.value) ? Object.keys(content.value) : [];
  const owner = mediaType === undefined ? location : resolver.follow(getChild(content, mediaType));
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
    schema: schemas.getSchema(getChild(owner, "schema"), "request"),
  };
}

/** Returns all headers of the encodings, at any depth. */
export function getHeaders({ encoding, prefixEncoding, itemEncoding }: Encodings): Parameter[] {
  const all = [
    ...Object.values(encoding ?? {}),
    ...(prefixEncoding ?? []),
    ...(itemEncoding === undefined ? [] : [itemEncoding]),
  ];
  return all.flatMap((one) => [...(one.headers ?? []), ...getHeaders(one)]);
}
