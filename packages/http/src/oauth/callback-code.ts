import { ToolError } from "@toolweave/core";
import { parseUrl } from "../address/origin.ts";
import { refusalError } from "./refusal-error.ts";
import { serverText } from "./server-text.ts";

/** The parameters that the callback of a sign-in must have. */
export interface ExpectedCallback {
  readonly state: string;
  readonly redirectUri: string | undefined;
  readonly issuer: string | undefined;
  /** The server is known to name itself in its answers. */
  readonly namesItself: boolean;
}

/**
 * The code in what came back from a sign-in (RFC 6749 section 4.1.2, RFC 9207): the URL to which the server sent the
 * person, or the bare code.
 *
 * @throws ToolError `auth_required` when it does not belong to the sign-in that was begun, or the person or the server
 * said no; `unavailable` when the server could not.
 */
export function callbackCode(answer: string, expected: ExpectedCallback): string {
  const text = answer.trim();
  const { redirectUri } = expected;
  const isUrl =
    /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ||
    (redirectUri !== undefined && text.startsWith(redirectUri));
  return isUrl ? codeFromUrl(text, expected) : bareCode(text, expected);
}

function codeFromUrl(text: string, expected: ExpectedCallback): string {
  const url = parseUrl(text);
  if (url === undefined) throw unusable("is not a URL that can be read");
  if (!leadsTo(url, expected.redirectUri)) {
    throw unusable("is not the address to which this sign-in leads back");
  }
  const { searchParams } = url;
  const single = (name: string): string | undefined => {
    const values = searchParams.getAll(name);
    if (values.length > 1) throw unusable(`says more than one "${name}"`);
    return values[0];
  };
  if (single("state") !== expected.state) throw unusable("belongs to another sign-in");
  checkIssuer(single("iss"), expected);
  const error = single("error");
  if (error !== undefined) {
    const { issuer } = expected;
    const known = /^[!#-[\]-~]{1,64}$/.test(error) ? error : "an error";
    throw refusalError(issuer === undefined ? undefined : new URL(issuer).origin, {
      error: known,
      description: serverText(single("error_description"), [expected.state]),
    });
  }
  return checkedCode(single("code"));
}

function bareCode(text: string, { namesItself }: ExpectedCallback): string {
  if (/(?:^|[?&#])(?:code|state|error)=/.test(text)) {
    throw unusable("is a part of an address: give the whole address");
  }
  if (namesItself) {
    throw unusable(
      "is no address, and only the whole address to which the server led back says which server it was",
    );
  }
  return checkedCode(text);
}

/** RFC 6749 appendix A.11. */
function checkedCode(code: string | undefined): string {
  if (code !== undefined && /^[\x20-\x7e]{1,10000}$/.test(code)) return code;
  throw unusable("holds no code");
}

/** RFC 9207 section 2.4: which server answered, so that one server's code is not sent to another. */
function checkIssuer(iss: string | undefined, { issuer, namesItself }: ExpectedCallback): void {
  if (iss === undefined && !namesItself) return;
  if (iss !== undefined && (issuer === undefined || iss === issuer)) return;
  throw unusable("does not come from the authorization server at which the sign-in was begun");
}

/** The address is the redirect URI, with whatever was added to its query. */
function leadsTo(url: URL, redirectUri: string | undefined): boolean {
  if (redirectUri === undefined) return true;
  const expected = parseUrl(redirectUri);
  if (expected === undefined) return false;
  const matchesParameters = [...expected.searchParams].every(([name, value]) =>
    url.searchParams.getAll(name).includes(value),
  );
  return (
    matchesParameters &&
    url.protocol === expected.protocol &&
    url.host === expected.host &&
    url.pathname === expected.pathname
  );
}

function unusable(why: string): ToolError {
  return new ToolError(
    "auth_required",
    `The answer to the sign-in cannot be used: it ${why}. A person has to sign in again: repeat the call.`,
  );
}
