import { childPointer } from "@toolweave/core/adapter";
import type { ServeApprovals } from "./configured-serve.ts";
import type { ConfigReader } from "../reading/config-reader.ts";

/** The beginning of the names of variables whose values decide who may approve. */
const prefix = "TOOLWEAVE_SECRET_";

/**
 * Reports variables of tokens and secrets that others than the user may set. A configuration can come with a folder, and
 * its author knows the values of many variables of a shell, a system or a CI job, such as `PWD` or `GITHUB_SHA`: one of
 * them as the token of an approver would let its author approve calls.
 */
export function checkSecretVariables(
  { api, webhook }: ServeApprovals = {},
  reader: ConfigReader,
): void {
  const place = "/serve/approvals";
  const check = (name: string, pointer: string): void => {
    if (name.startsWith(prefix) && name.length > prefix.length) return;
    reader.fault(
      pointer,
      `"${name.slice(0, 60)}" is a variable that other programs than you may set: give the secret a variable whose name begins with ${prefix}, such as ${suggestName(name)}`,
    );
  };
  for (const key of ["approvers", "readers"] as const) {
    for (const [name, variable] of Object.entries(api?.[key] ?? {})) {
      check(variable, childPointer(`${place}/api/${key}`, name));
    }
  }
  for (const [index, variable] of (webhook?.secrets ?? []).entries()) {
    check(variable, `${place}/webhook/secrets/${index}`);
  }
}

function suggestName(name: string): string {
  return `${prefix}${/^[A-Z][A-Z0-9_]{0,40}$/.test(name) ? name : "ADA"}`;
}
