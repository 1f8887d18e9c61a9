import { getChild, withValue } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import type { Encoding, MediaDescription, RequestBody } from "../document/operation.ts";
import type { OperationReading } from "./operation-reading.ts";
import { ownString, ownValue, setOwn } from "../document/record.ts";
import { getCollectionStyle, toSwaggerSchema } from "./swagger-parameter.ts";

const urlencoded = "application/x-www-form-urlencoded";
const multipart = "multipart/form-data";

/** Reads the body that Swagger 2.0 declares as parameters: one `in: body`, or any number of `in: formData`. */
export function readSwaggerBody(
  reading: OperationReading,
  parameters: readonly Location[],
): RequestBody {
  const body = parameters.find(({ value }) => ownValue(value, "in") === "body");
  return body === undefined ? readFormBody(reading, parameters) : readFullBody(reading, body);
}

/** Returns the media types of `consumes` or `produces`: the operation's, else the document's (section 5.2.3). */
export function readSwaggerMediaTypes(
  reading: OperationReading,
  key: "consumes" | "produces",
): readonly string[] {
  const own = reading.getMember(key).value;
  const types = Array.isArray(own) ? own : ownValue(reading.context.root.root, key);
  const names = Array.isArray(types) ? types.filter((type) => typeof type === "string") : [];
  return [...new Set(names as string[])];
}

function readFullBody(reading: OperationReading, parameter: Location): RequestBody {
  const declared = readSwaggerMediaTypes(reading, "consumes");
  const types = declared.length === 0 ? ["application/json"] : declared;
  const schema = reading.context.schemas.getSchema(getChild(parameter, "schema"), "request");
  const description = ownString(parameter.value, "description");
  return {
    required: ownValue(parameter.value, "required") === true,
    ...(description === undefined ? {} : { description }),
    media: types.map((mediaType) => ({ mediaType, schema })),
  };
}

function readFormBody(reading: OperationReading, parameters: readonly Location[]): RequestBody {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const encoding: Record<string, Encoding> = {};
  let hasFile = false;
  for (const parameter of parameters) {
    const name = String(ownValue(parameter.value, "name"));
    const schema = toSwaggerSchema(parameter).value as Record<string, unknown>;
    const description = ownString(parameter.value, "description");
    setOwn(properties, name, description === undefined ? schema : { ...schema, description });
    if (ownValue(parameter.value, "required") === true) required.push(name);
    if (schema["type"] === "file") hasFile = true;
    if (schema["type"] === "array") {
      setOwn(
        encoding,
        name,
        getCollectionStyle(parameter.value as Record<string, unknown>, "query"),
      );
    }
  }
  const [first] = parameters as [Location];
  const value = { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
  const schema = reading.context.schemas.getSchema(withValue(first, value), "request");
  const hasEncoding = Object.keys(encoding).length > 0;
  const media = getFormTypes(reading, hasFile).map((mediaType): MediaDescription => ({
    mediaType,
    schema,
    ...(hasEncoding ? { encoding } : {}),
  }));
  return { required: required.length > 0, media };
}

/** Returns multipart for files; for other forms, the types that the operation consumes, url-encoded by default. */
function getFormTypes(reading: OperationReading, hasFile: boolean): readonly string[] {
  const consumes = readSwaggerMediaTypes(reading, "consumes");
  const forms = consumes.filter((type) => [urlencoded, multipart].includes(type.toLowerCase()));
  if (hasFile) return [multipart];
  return forms.length === 0 ? [urlencoded] : forms;
}
