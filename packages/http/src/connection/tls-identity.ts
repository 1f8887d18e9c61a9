import type { SecureContext } from "node:tls";
import { ToolError } from "@toolweave/core";
import type { CertificateCredential } from "@toolweave/core/stores";

/** TLS credentials and trusted authorities of a connection; connections of different identities are never shared. */
export interface TlsIdentity {
  readonly secureContext: SecureContext;
}

const maxIdentities = 100;

/** By everything that an identity consists of; the most recently used last. */
const identities = new Map<string, TlsIdentity>();

/**
 * Returns the identity of a certificate, of a client's own authorities, or of both. The same texts give the same
 * identity, so that connections are reused. `undefined` when there is neither.
 *
 * @throws ToolError `auth_required` for a certificate that cannot be used; `invalid_configuration` for such authorities.
 */
export function tlsIdentity(
  certificate: CertificateCredential | undefined,
  authorities: string | undefined,
): TlsIdentity | undefined {
  if (certificate === undefined && authorities === undefined) return undefined;
  const { certificate: cert, privateKey, passphrase } = certificate ?? {};
  const name = JSON.stringify([cert, privateKey, passphrase, authorities]);
  const identity = identities.get(name) ?? {
    secureContext: secureContext(certificate, authorities),
  };
  identities.delete(name);
  identities.set(name, identity);
  if (identities.size > maxIdentities) {
    const [oldest] = identities.keys();
    // Its idle connections close by themselves.
    if (oldest !== undefined) identities.delete(oldest);
  }
  return identity;
}

function secureContext(
  certificate: CertificateCredential | undefined,
  authorities: string | undefined,
): SecureContext {
  const tls = process.getBuiltinModule("node:tls");
  if (authorities !== undefined) checkAuthorities(authorities);
  const ca = authorities === undefined ? {} : { ca: [...tls.getCACertificates(), authorities] };
  if (certificate === undefined) return tls.createSecureContext(ca);
  const { certificate: cert, privateKey: key, passphrase } = certificate;
  const secret = passphrase === undefined ? {} : { passphrase };
  try {
    return tls.createSecureContext({ ...ca, cert, key, ...secret });
  } catch (cause) {
    throw new ToolError(
      "auth_required",
      "The client certificate cannot be used: give it and its private key as PEM text that belongs together, and the passphrase if the key has one.",
      { cause },
    );
  }
}

/** Checks the authorities, because a TLS context silently ignores what it cannot read. */
function checkAuthorities(authorities: string): void {
  const { X509Certificate } = process.getBuiltinModule("node:crypto");
  try {
    void new X509Certificate(authorities);
  } catch (cause) {
    throw new ToolError(
      "invalid_configuration",
      "httpClient: certificateAuthorities cannot be read: give certificates as PEM text.",
      { cause },
    );
  }
}
