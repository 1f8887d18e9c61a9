import { ToolError } from "@toolweave/core";
import { checks, SecretSet, type OptionCheck, type OptionChecks } from "@toolweave/core/adapter";
import { AllowedHosts } from "@toolweave/http";
import { toTarget } from "./web-hosts.ts";

/** A credential that a model uses by its name, and never sees. */
export interface WebCredential {
  readonly secret: string;
  /** The hosts that it is sent to, such as `api.example.com` or `*.example.com`. Only over https, unless the host is private. */
  readonly hosts: readonly string[];
  /** The header that carries it. Default: `authorization`, with the secret as a bearer token. */
  readonly header?: string;
}

/** A secret is never part of an error. */
const secret: OptionCheck = {
  isRequired: true,
  check(place, value) {
    if (
      typeof value === "string" &&
      /^[\x21-\x7e\x80-\xff]+(?: +[\x21-\x7e\x80-\xff]+)*$/.test(value)
    )
      return;
    throw new ToolError(
      "invalid_configuration",
      `${place} cannot be the value of a header (RFC 9110, 5.5); use a text without line breaks, and without spaces at its ends.`,
    );
  },
};

export const credentialChecks: OptionChecks<WebCredential> = {
  secret,
  hosts: checks.required(checks.list(checks.filledText)),
  header: checks.valueThat(
    (value) => typeof value === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(value),
    'the name of a header, such as "x-api-key"',
  ),
};

interface KnownCredential {
  readonly header: string;
  readonly value: string;
  readonly hosts: AllowedHosts;
}

/** The credentials that tools for the web may use. */
export class WebCredentials {
  /** Nothing of them comes out of an executor. */
  readonly secrets: SecretSet = new SecretSet();
  readonly #known = new Map<string, KnownCredential>();

  /**
   * @param given credentials that `credentialChecks` has accepted.
   * @throws ToolError `invalid_configuration` for an entry of `hosts` that is no host.
   */
  constructor(where: string, given: Readonly<Record<string, WebCredential>>) {
    for (const [name, { secret, hosts, header }] of Object.entries(given)) {
      this.secrets.add(secret);
      this.#known.set(name, {
        header: header?.toLowerCase() ?? "authorization",
        value: header === undefined ? `Bearer ${secret}` : secret,
        hosts: new AllowedHosts(`${where}: credentials`, { allow: hosts }),
      });
    }
  }

  get names(): readonly string[] {
    return [...this.#known.keys()];
  }

  /**
   * The header that carries a credential to a URL.
   *
   * @throws ToolError `invalid_arguments` for an unknown name, `permission_denied` for a URL that it is not for.
   */
  getHeader(name: string, url: URL, isPrivate: boolean): readonly [name: string, value: string] {
    const known = this.#known.get(name);
    if (known === undefined) {
      const names =
        this.names.length === 0 ? "There are none." : `There are: ${this.names.join(", ")}.`;
      throw new ToolError("invalid_arguments", `There is no credential "${name}". ${names}`);
    }
    const isFor = known.hosts.getReach(toTarget(url)) !== undefined;
    if (!isFor) {
      throw new ToolError(
        "permission_denied",
        `The credential "${name}" is not for ${url.host}. Send the request without it.`,
      );
    }
    if (url.protocol !== "https:" && !isPrivate) {
      throw new ToolError(
        "permission_denied",
        `The credential "${name}" is only sent over https. Use https://${url.host}.`,
      );
    }
    return [known.header, known.value];
  }
}
