import type { JsonObject, JsonValue } from "@toolweave/core";
import type { DocumentContext } from "./document-context.ts";
import { getChild, getItems, withValue } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import type { DeclaredSecurityScheme, SecurityScheme, SecurityUse } from "../document/operation.ts";
import type { OperationReading } from "./operation-reading.ts";
import { isRecord, ownString, ownText, ownValue } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";

/** Returns the security requirements of an operation: its own, else the document's. */
export function readSecurity(reading: OperationReading): readonly (readonly SecurityUse[])[] {
  const { context, found } = reading;
  const own = ownValue(found.location.value, "security");
  if (Array.isArray(own) || isRecord(own)) {
    return readAlternatives(reading.getMember("security"), reading);
  }
  context.security ??= readAlternatives(getChild(context.location, "security"), reading);
  return context.security;
}

/** Returns the names of the security schemes that a document declares. */
export function schemeNames(context: DocumentContext): readonly string[] {
  const { value } = declaredSchemes(context);
  return isRecord(value) ? Object.keys(value) : [];
}

/** Returns the security schemes that a document declares, without those that cannot be read. */
export function readSchemes(context: DocumentContext): readonly DeclaredSecurityScheme[] {
  return schemeNames(context).flatMap((scheme) => {
    try {
      const declaration = readScheme(scheme, { context });
      if (declaration === undefined) return [];
      const { raw: _, name, ...kind } = declaration;
      return [{ name: scheme, ...kind, ...(name === undefined ? {} : { parameter: name }) }];
    } catch {
      // An operation that uses it reports it.
      return [];
    }
  });
}

function readAlternatives(declared: Location, reading: OperationReading): SecurityUse[][] {
  const alternatives: SecurityUse[][] = [];
  const { value: written } = declared;
  // An empty list means the same as an empty requirement: nothing is needed. An absent one declares nothing.
  if (Array.isArray(written) && written.length === 0) return [[]];
  if (isRecord(written)) {
    reading.warn("A security requirement without a list is treated as a list of one.", declared);
  }
  for (const item of isRecord(written) ? [declared] : getItems(declared)) {
    const { value } = item;
    if (typeof value === "string") {
      const name = JSON.stringify(value);
      reading.warn(`The security requirement ${name} is treated as {${name}: []}.`, item);
      alternatives.push([readUse(value, [], reading)]);
    }
    if (!isRecord(value)) continue;
    alternatives.push(
      Object.keys(value).map((name) => readUse(name, ownValue(value, name), reading)),
    );
  }
  return alternatives;
}

function readUse(scheme: string, scopes: unknown, reading: OperationReading): SecurityUse {
  const use = {
    scheme,
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : [],
  };
  try {
    const declaration = readScheme(scheme, reading);
    return declaration === undefined ? use : { ...use, declaration };
  } catch (error) {
    reading.warnOfOmission(`The security scheme ${JSON.stringify(scheme)}`, error);
    return use;
  }
}

function declaredSchemes(context: DocumentContext): Location {
  const { location: document, version } = context;
  const schemes =
    version === "2.0"
      ? getChild(document, "securityDefinitions")
      : getChild(container(getChild(document, "components"), context), "securitySchemes");
  return container(schemes, context);
}

/** Returns an empty location if its reference cannot be resolved: it then declares nothing. */
function container(location: Location, context: DocumentContext): Location {
  try {
    return context.container(location);
  } catch (error) {
    context.reportFault("the document", error);
    return withValue(location, {});
  }
}

function readScheme(
  name: string,
  { context }: Pick<OperationReading, "context">,
): SecurityScheme | undefined {
  const { version, resolver } = context;
  const schemes = declaredSchemes(context);
  const declared = getChild(schemes, name);
  if (declared.value !== undefined) return toScheme(resolver.follow(declared).value);
  // OpenAPI 3.2: a name that is not a component is the URI of a scheme.
  if (version !== "3.2" || !/[#/]/.test(name)) return undefined;
  return toScheme(resolver.follow(resolver.resolve(name, schemes)).value);
}

const types = ["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"] as const;

function toScheme(value: unknown): SecurityScheme | undefined {
  if (!isRecord(value)) return undefined;
  const raw = value as JsonValue;
  if (value["type"] === "basic") return { type: "http", scheme: "basic", raw };
  const type = types.find((known) => known === value["type"]);
  if (type === undefined) return undefined;
  const name = ownText(value, "name");
  const place = ownString(value, "in");
  const scheme = ownString(value, "scheme")?.toLowerCase();
  return {
    type,
    ...(type === "apiKey" && name !== undefined ? { name } : {}),
    ...(type === "apiKey" && isKeyPlace(place) ? { in: place } : {}),
    ...(type === "http" && scheme !== undefined ? { scheme } : {}),
    raw: type === "oauth2" && value["flows"] === undefined ? withFlows(value) : raw,
  };
}

function isKeyPlace(place: string | undefined): place is "header" | "query" | "cookie" {
  return place === "header" || place === "query" || place === "cookie";
}

const flowNames: Readonly<Record<string, string>> = {
  implicit: "implicit",
  password: "password",
  application: "clientCredentials",
  accessCode: "authorizationCode",
};

/** Swagger 2.0 has one flow, on the scheme itself. */
function withFlows({ flow, authorizationUrl, tokenUrl, scopes, ...rest }: JsonRecord): JsonValue {
  const name =
    typeof flow === "string" && Object.hasOwn(flowNames, flow) ? flowNames[flow] : undefined;
  if (name === undefined) return rest as JsonObject;
  const declared = {
    ...(authorizationUrl === undefined ? {} : { authorizationUrl }),
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
    scopes: scopes ?? {},
  };
  return { ...(rest as JsonObject), flows: { [name]: declared as unknown as JsonObject } };
}
