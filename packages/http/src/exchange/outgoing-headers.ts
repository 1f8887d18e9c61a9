import { ToolError } from "@toolweave/core";

// Headers that frame the message or choose the host are set by the client.
const clientHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const crossOriginHeaders = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "content-type",
  "user-agent",
]);

/** Headers in the form that undici processes fastest: name, value, name, value, … with lower-case names. */
export type HeaderList = string[];

/**
 * Checks and completes headers. Throws `invalid_arguments`, whose message contains the name of a header and never its
 * value.
 */
export function outgoingHeaders(headers: Readonly<Record<string, string>> | undefined): HeaderList {
  const list: HeaderList = [];
  let encoding = false;
  let agent = false;
  for (const [given, value] of Object.entries<unknown>(headers ?? {})) {
    const name = given.toLowerCase();
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) {
      throw invalidHeaderError(
        `The header name ${JSON.stringify(given.slice(0, 64))} is not one: use letters, digits and hyphens only.`,
      );
    }
    if (clientHeaders.has(name))
      throw invalidHeaderError(`The header ${name} is set by the HTTP client; leave it out.`);
    if (typeof value !== "string" || /[^\t\u0020-\u007e\u0080-\u00ff]/.test(value)) {
      throw invalidHeaderError(
        `The value of the header ${name} cannot be sent: it must be a string without line breaks, other control characters and characters beyond Latin-1.`,
      );
    }
    if (name === "accept-encoding") encoding = true;
    else if (name === "user-agent") agent = true;
    list.push(name, value);
  }
  if (!encoding) list.push("accept-encoding", "gzip, deflate, br, zstd");
  // Several large APIs refuse requests without one.
  if (!agent) list.push("user-agent", "toolweave");
  return list;
}

/** Returns the headers that a redirect to another origin may carry. */
export function headersForOtherOrigin(
  list: HeaderList,
  credentials: readonly string[] | undefined,
): HeaderList {
  const secret = new Set(credentials?.map((name) => name.toLowerCase()));
  return pick(list, (name) => crossOriginHeaders.has(name) && !secret.has(name));
}

/** Returns the headers that remain when a redirect turns a request into a GET. */
export function headersWithoutBody(list: HeaderList): HeaderList {
  return pick(list, (name) => !name.startsWith("content-"));
}

function pick(list: HeaderList, keep: (name: string) => boolean): HeaderList {
  const picked: HeaderList = [];
  for (let index = 0; index < list.length; index += 2) {
    const name = list[index] as string;
    if (keep(name)) picked.push(name, list[index + 1] as string);
  }
  return picked;
}

function invalidHeaderError(message: string): ToolError {
  return new ToolError("invalid_arguments", message);
}
