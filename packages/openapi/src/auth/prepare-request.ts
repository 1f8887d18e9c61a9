import { setOwn } from "../document/record.ts";
import type { CertificateCredential } from "@toolweave/core/stores";
import type { PlannedRequest } from "../request/request-plan.ts";
import type { CredentialMaterial } from "./credential-form.ts";
import type { DigestChallenges } from "./digest-challenges.ts";
import { toHeaderSecrets } from "./source-secrets.ts";

/** A request with everything that is sent with it. */
export interface PreparedRequest {
  /** The URL without credentials, for texts that people and models read. */
  readonly url: string;
  /** The URL to which the request is sent. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly certificate?: CertificateCredential;
  /** Names of the headers and query parameters that carry credentials. */
  readonly names: readonly string[];
  /** Redacted in everything that comes back. */
  readonly secrets: readonly string[];
}

/**
 * Adds credentials, and after them the host's own headers, to a request.
 *
 * @param headers those of the request; modified in place.
 */
export function prepareRequest(
  request: PlannedRequest,
  headers: Record<string, string>,
  materials: readonly CredentialMaterial[],
  hostHeaders: Readonly<Record<string, string>>,
  challenges: DigestChallenges,
): PreparedRequest {
  const address = request.origin + request.path;
  const url = request.query === "" ? address : `${address}?${request.query}`;
  let target = url;
  let { cookie } = request;
  let certificate: CertificateCredential | undefined;
  const secrets: string[] = [];
  const names: string[] = [];

  for (const material of materials) {
    secrets.push(...material.secrets);
    if (material.type === "certificate") certificate = material.certificate;
    if (material.type !== "text") continue;
    const { in: place, name, value } = material;
    names.push(name);
    if (place === "header") setOwn(headers, name, value);
    else if (place === "query") {
      const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
      target += `${target.includes("?") ? "&" : "?"}${pair}`;
    } else {
      cookie = cookie === "" ? `${name}=${value}` : `${cookie}; ${name}=${value}`;
    }
  }
  for (const material of materials) {
    // The answer covers the full URL, including other credentials.
    if (material.type !== "digest") continue;
    const answer = challenges.answer(material, request, target);
    if (answer === undefined) continue;
    headers["authorization"] = answer.header;
    names.push("authorization");
    secrets.push(answer.secret);
  }
  for (const name in hostHeaders) {
    const value = hostHeaders[name] as string;
    headers[name] = value;
    names.push(name);
  }
  secrets.push(...toHeaderSecrets(hostHeaders));
  if (cookie !== "") {
    const given = headers["cookie"];
    headers["cookie"] = given === undefined ? cookie : `${given}; ${cookie}`;
  }
  const prepared = { url, target, headers, names, secrets };
  return certificate === undefined ? prepared : { ...prepared, certificate };
}
