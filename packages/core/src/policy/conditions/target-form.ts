import { globMatcher } from "../../text/glob.ts";
import { permissionKinds, type PolicyEffect } from "../../contract/policy-definition.ts";

/**
 * Why a glob over targets can match no permission of some kinds; `undefined`: it may match one. Only the text before
 * the first wildcard is checked.
 *
 * @param kinds globs over kinds; empty: any kind.
 */
export function targetFault(
  kinds: readonly string[],
  target: string,
  effect: PolicyEffect,
): string | undefined {
  if (kinds.length === 0) return undefined;
  const isMeant = globMatcher(kinds);
  const meant = permissionKinds.filter(isMeant);
  // A tool's own kinds have targets of any form.
  const isCustom = kinds.some((kind) => /^(?:\*|\?|custom|c[*?])/.test(kind));
  if (isCustom || meant.length === 0) return undefined;
  const faults = meant.map((kind) => forms[kind]?.(target, effect));
  return faults.every((fault) => fault !== undefined) ? faults[0] : undefined;
}

type FormFault = (target: string, effect: PolicyEffect) => string | undefined;

const forms: Readonly<Record<string, FormFault | undefined>> = {
  network: networkFault,
  delegate: (target) =>
    /^[\w*?-]+$/.test(target) ? undefined : "the target is the name of the agent's tool",
  "fs.read": pathFault,
  "fs.write": pathFault,
};

const requestForm =
  'the target is METHOD URL, as "DELETE https://api.example.com/pets/*", or an origin, as "https://example.com"';

function networkFault(target: string): string | undefined {
  const [literal = ""] = target.split(/[*?]/, 1);
  const isOpen = literal.length < target.length;
  const [, method = "", address = ""] = /^([A-Z][A-Z-]* ?)?(.*)$/s.exec(literal) as RegExpExecArray;
  if (method !== "" && !method.endsWith(" ")) {
    return address === "" && isOpen ? undefined : requestForm;
  }
  if (address === "" || /^[a-z][a-z\d+.-]*(?::\/?)?$/.test(address)) {
    return isOpen ? undefined : requestForm;
  }
  const authority = /^([a-z][a-z\d+.-]*):\/\/([^/]*)/.exec(address);
  if (authority === null || /[\s#]/.test(address)) return requestForm;
  const [, scheme, host = ""] = authority;
  if (host === "" && !isOpen) return requestForm;
  if (/[A-Z]/.test(host)) return `hosts are in lower case: write ${host.toLowerCase()}`;
  const isWhole = address.length > (authority[0] as string).length || !isOpen;
  const usual = scheme === "https" ? ":443" : scheme === "http" ? ":80" : undefined;
  return usual !== undefined && isWhole && host.endsWith(usual)
    ? `the usual port is left out: write ${host.slice(0, -usual.length)}`
    : undefined;
}

/** A path with a part that is `.`, `..` or empty, and so may lead elsewhere than it seems. */
export const windingPath: RegExp = /(?:^|[\\/])\.{1,2}(?:[\\/]|$)|[\\/]{2}/;

function pathFault(target: string, effect: PolicyEffect): string | undefined {
  if (effect !== "allow" || !windingPath.test(target)) return undefined;
  return "a path with a part that is ., .. or empty is never allowed by its target; write it in its plain form";
}
