import type { JsonObject } from "@toolweave/core";
import type { ArgumentLayout, ParameterArgument } from "../arguments/argument-layout.ts";
import type { PlannedRequest, RequestPlan } from "./request-plan.ts";

/** What a secret value stands as in an address. */
const mask = "[redacted]";

/** What core hides of arguments, by their schema. */
const saysSecret = /"(?:writeOnly|x-secret)":true|"format":"password"/;

/** The parameters of an address that the document calls secret, or that hold something which it does. */
export function secretParameters({ parameters }: ArgumentLayout): readonly ParameterArgument[] {
  return parameters.filter(({ parameter: { in: place, schema } }) => {
    if (place === "header" || place === "cookie") return false;
    return saysSecret.test(JSON.stringify([schema.schema, ...schema.defs.values()]));
  });
}

/**
 * A request as whoever is asked about a call may see it: what is secret stands masked in the path, and not at all in the
 * query. Such addresses are kept with grants and audits, and looked at by more people than the arguments.
 *
 * @param template the operation's path, for one that cannot be written with a mask in it.
 */
export function shownRequest(
  plan: RequestPlan,
  args: JsonObject,
  secrets: readonly ParameterArgument[],
  template: string,
): Pick<PlannedRequest, "method" | "origin" | "path" | "query"> {
  // What cannot be sent is refused before anybody is asked.
  const request = plan(args);
  const given = secrets.filter(({ argument }) => Object.hasOwn(args, argument));
  if (given.length === 0) return request;
  const shown = { ...args };
  for (const { argument, parameter } of given) {
    if (parameter.in === "path") shown[argument] = mask;
    else delete shown[argument];
  }
  try {
    const { path, query } = plan(shown);
    return { ...request, path: path.replaceAll(encodeURIComponent(mask), mask), query };
  } catch {
    return { ...request, path: template, query: "" };
  }
}
