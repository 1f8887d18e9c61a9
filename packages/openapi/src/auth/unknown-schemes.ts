import type { SourceProblem } from "@toolweave/core";
import type { ApiDocument } from "../operations/document.ts";
import type { OpenApiAuth } from "./openapi-auth.ts";

/**
 * A warning for each name in `schemes` that the document does not declare: what is given under it is never sent.
 *
 * @param subject what the warnings are about.
 */
export function unknownSchemes(
  { schemes = {} }: OpenApiAuth,
  { schemeNames, version }: Pick<ApiDocument, "schemeNames" | "version">,
  subject: string,
): readonly SourceProblem[] {
  const declared = schemeNames.length === 0 ? "none" : schemeNames.map(quoted).join(", ");
  return Object.keys(schemes)
    .filter((name) => !schemeNames.includes(name) && !(version === "3.2" && /[#/]/.test(name)))
    .map((name) => ({
      subject,
      message: `auth.schemes has ${quoted(name)}, which is no security scheme of the document: it declares ${declared}.`,
      severity: "warning",
    }));
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
