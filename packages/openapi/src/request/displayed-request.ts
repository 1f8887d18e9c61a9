import type { JsonObject } from "@toolweave/core";
import type { ArgumentLayout } from "../arguments/argument-layout.ts";
import type { ParameterArgument } from "../parameters/serialize-parameter.ts";
import type { PlannedRequest, RequestPlan } from "./request-plan.ts";

/** Replaces a secret value in a URL. */
const mask = "[redacted]";

/** Matches the schemas of arguments that core redacts. */
const secretSchemaPattern = /"(?:writeOnly|x-secret)":true|"format":"password"/;

/** Returns the parameters of a URL that the document declares secret, or that contain a secret value. */
function findSecretParameters({ parameters }: ArgumentLayout): readonly ParameterArgument[] {
  return parameters.filter(({ parameter: { in: place, schema } }) => {
    if (place === "header" || place === "cookie") return false;
    return secretSchemaPattern.test(JSON.stringify([schema.schema, ...schema.defs.values()]));
  });
}

/** The way in which the URLs of an operation are displayed. */
export interface AddressForm {
  /** The secret parameters. */
  readonly secrets: readonly ParameterArgument[];
  /** False if one parameter is the whole query (OpenAPI 3.2, `in: querystring`): its order may matter. */
  readonly sortsQuery: boolean;
}

export function getAddressForm(layout: ArgumentLayout): AddressForm {
  const sortsQuery = layout.parameters.every(({ parameter }) => parameter.in !== "querystring");
  return { secrets: findSecretParameters(layout), sortsQuery };
}

/**
 * Formats a request for the person who approves the call, and for policy rules: secret values in path and query are
 * masked, because such URLs are stored with grants and audit records, and are seen by more people than the arguments.
 * Equivalent queries have one form: their parts are sorted by name, those of one name keep their order, and they are
 * encoded as they are sent.
 *
 * @param template the operation's path, for a path that cannot be written with a mask in it.
 */
export function displayRequest(
  plan: RequestPlan,
  args: JsonObject,
  { secrets, sortsQuery }: AddressForm,
  template: string,
): Pick<PlannedRequest, "method" | "origin" | "path" | "query"> {
  // A request that cannot be sent is refused before a person is asked.
  const request = plan(args);
  const given = secrets.filter(({ argument }) => Object.hasOwn(args, argument));
  const { path, query } = given.length === 0 ? request : maskSecrets(plan, args, given, template);
  return { ...request, path, query: sortsQuery ? sortQuery(query) : query };
}

function maskSecrets(
  plan: RequestPlan,
  args: JsonObject,
  given: readonly ParameterArgument[],
  template: string,
): Pick<PlannedRequest, "path" | "query"> {
  const maskedArgs = { ...args };
  const parts: string[] = [];
  for (const { argument, parameter } of given) {
    if (parameter.in === "path") maskedArgs[argument] = mask;
    else {
      delete maskedArgs[argument];
      const name = parameter.in === "querystring" ? "" : `${encodeURIComponent(parameter.name)}=`;
      parts.push(name + mask);
    }
  }
  let path = template;
  try {
    const request = plan(maskedArgs);
    path = request.path.replaceAll(encodeURIComponent(mask), mask);
    if (request.query !== "") parts.unshift(request.query);
  } catch {
    // The rest of the query cannot be distinguished from the secret part.
    if (parts.length === 0) parts.push(mask);
  }
  return { path, query: parts.join("&") };
}

function sortQuery(query: string): string {
  if (!query.includes("&")) return query;
  const parts = query.split("&").map((part) => [part.split("=", 1)[0] as string, part] as const);
  return parts
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([, part]) => part)
    .join("&");
}
