import type { ServeCallers, ServeIssuer, ServeLimits } from "@toolweave/config";
import { gatewayCallers, type CallerIssuer, type HttpOptions } from "@toolweave/mcp/serve";
import { UsageError } from "../../process/exit-code.ts";
import { formatCount, safeLine } from "../../render/text.ts";
import { isLoopback } from "../shared/parse-address.ts";

/** The address of `--http`, and the token of `--token-env`. */
export interface HttpAddress {
  readonly host: string;
  readonly port: number;
  readonly token?: string;
}

/** The callers over HTTP. */
export interface HttpCallers {
  readonly options: Pick<HttpOptions, "authenticate" | "protectedResource" | "publicUrl" | "token">;
  /** Callers can be told apart. */
  readonly areApart: boolean;
  /** For the message that says what is served: `callers of https://id.example.com`. */
  readonly description: string;
}

/**
 * Resolves who may call: the callers of the configuration, else those that have the token, else the programs of this
 * machine.
 *
 * @throws UsageError if other machines could call without a token, and for callers that cannot be used.
 */
export function resolveCallers(
  { host, token }: HttpAddress,
  tokenEnv: string | undefined,
  { publicUrl, callers }: Pick<ServeLimits, "callers" | "publicUrl"> = {},
): HttpCallers {
  const address = publicUrl === undefined ? {} : { publicUrl: checkSet("publicUrl", publicUrl) };
  if (callers !== undefined) {
    if (token !== undefined) {
      throw new UsageError(
        "--token-env is one token for all clients, and the configuration has `serve.callers`: use one of them.",
      );
    }
    const issuers = (callers.issuers ?? []).map((issuer) => toIssuer(issuer, publicUrl));
    const { tokens } = callers;
    return {
      options: {
        ...address,
        ...gatewayCallers({ issuers, ...(tokens === undefined ? {} : { tokens }) }),
      },
      areApart: true,
      description: describeCallers(callers),
    };
  }
  if (token !== undefined) {
    return {
      options: { ...address, token },
      areApart: false,
      description: `clients that send the token of ${tokenEnv}`,
    };
  }
  if (isLoopback(host))
    return { options: address, areApart: false, description: "programs on this machine" };
  throw new UsageError(
    `${host} can be reached from other machines, which could call every tool: say who may call with \`serve.callers\` in the configuration (\`toolweave token add\` adds a caller), or name the environment variable of one token for all clients with --token-env.`,
  );
}

/** The message of a gateway whose callers cannot be told apart. */
export const oneCallerNotice =
  "toolweave: All clients are one caller: rules for roles do not match, they share limits, and an approval holds for one call. To tell callers apart: `toolweave token add`, or `serve.callers` in the configuration.";

function toIssuer(written: ServeIssuer, publicUrl: string | undefined): CallerIssuer {
  const { issuer, audience = publicUrl, jwks, ...rest } = written;
  checkSet("callers.issuers", issuer);
  if (audience === undefined) {
    throw new UsageError(
      `The issuer ${safeLine(issuer)} needs an "audience", or "serve" a "publicUrl": without it, tokens for any other service would be accepted.`,
    );
  }
  return {
    ...rest,
    issuer,
    audience: checkSet("callers.issuers", audience),
    ...(jwks === undefined ? {} : { jwks: checkSet("callers.issuers", jwks) }),
  };
}

/** A text that still refers to a variable is what the file has. */
function checkSet(where: string, text: string): string {
  if (!text.includes("${")) return text;
  throw new UsageError(`"serve.${where}" has ${safeLine(text)}: set the variable.`);
}

function describeCallers({ tokens = {}, issuers = [] }: ServeCallers): string {
  const count = Object.keys(tokens).length;
  return [
    ...issuers.map(({ issuer }) => `callers of ${safeLine(issuer)}`),
    ...(count === 0 ? [] : [formatCount(count, "caller with a token", "callers with tokens")]),
  ].join(" and ");
}
