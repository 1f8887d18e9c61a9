import type { JsonObject } from "@toolweave/core";
import type { ArgumentLayout } from "../arguments/argument-layout.ts";
import type { ParameterArgument } from "../parameters/serialize-parameter.ts";
import type { PlannedRequest, RequestPlan } from "./request-plan.ts";

/** What a secret value stands as in an address. */
const mask = "[redacted]";

/** What core hides of arguments, by their schema. */
const secretSchemaPattern = /"(?:writeOnly|x-secret)":true|"format":"password"/;

/** The parameters of an address that the document calls secret, or that hold something which it does. */
function secretParameters({ parameters }: ArgumentLayout): readonly ParameterArgument[] {
  return parameters.filter(({ parameter: { in: place, schema } }) => {
    if (place === "header" || place === "cookie") return false;
    return secretSchemaPattern.test(JSON.stringify([schema.schema, ...schema.defs.values()]));
  });
}

/** How the address of an operation's requests is shown. */
export interface AddressForm {
  /** Its parameters that are secret. */
  readonly secrets: readonly ParameterArgument[];
  /** False where one parameter is the whole query (OpenAPI 3.2, `in: querystring`): its order may matter. */
  readonly sortsQuery: boolean;
}

export function addressForm(layout: ArgumentLayout): AddressForm {
  const sortsQuery = layout.parameters.every(({ parameter }) => parameter.in !== "querystring");
  return { secrets: secretParameters(layout), sortsQuery };
}

/**
 * A request as whoever is asked about a call may see it, and as rules see it: what is secret stands masked in path and
 * query. Such addresses are kept with grants and audits, and looked at by more people than the arguments. The query is
 * in one form for one meaning: its parts are sorted by name, those of one name in their order, encoded as they are sent.
 *
 * @param template the operation's path, for one that cannot be written with a mask in it.
 */
export function displayRequest(
  plan: RequestPlan,
  args: JsonObject,
  { secrets, sortsQuery }: AddressForm,
  template: string,
): Pick<PlannedRequest, "method" | "origin" | "path" | "query"> {
  // What cannot be sent is refused before anybody is asked.
  const request = plan(args);
  const given = secrets.filter(({ argument }) => Object.hasOwn(args, argument));
  const { path, query } = given.length === 0 ? request : masked(plan, args, given, template);
  return { ...request, path, query: sortsQuery ? sorted(query) : query };
}

function masked(
  plan: RequestPlan,
  args: JsonObject,
  given: readonly ParameterArgument[],
  template: string,
): Pick<PlannedRequest, "path" | "query"> {
  const shown = { ...args };
  const parts: string[] = [];
  for (const { argument, parameter } of given) {
    if (parameter.in === "path") shown[argument] = mask;
    else {
      delete shown[argument];
      const name = parameter.in === "querystring" ? "" : `${encodeURIComponent(parameter.name)}=`;
      parts.push(name + mask);
    }
  }
  let path = template;
  try {
    const request = plan(shown);
    path = request.path.replaceAll(encodeURIComponent(mask), mask);
    if (request.query !== "") parts.unshift(request.query);
  } catch {
    // What else is in the query cannot be told from what is secret.
    if (parts.length === 0) parts.push(mask);
  }
  return { path, query: parts.join("&") };
}

function sorted(query: string): string {
  if (!query.includes("&")) return query;
  const parts = query.split("&").map((part) => [part.split("=", 1)[0] as string, part] as const);
  return parts
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([, part]) => part)
    .join("&");
}
