// A process with an authorization server, whose refresh tokens are good once, and with an API that accepts its tokens.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import type { AuthorizationState, SignIn } from "./sign-in.ts";

const clientId = "chaos";
const accountId = "ada";
const tokens: string[] = [];
let renewals = 0;
let refusals = 0;

const server = createServer().listen(0, "127.0.0.1");
await once(server, "listening");
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const provider = new Provider(origin, {
  clients: [
    {
      client_id: clientId,
      application_type: "native",
      token_endpoint_auth_method: "none",
      redirect_uris: [`${origin}/callback`],
      grant_types: ["authorization_code", "refresh_token"],
    },
  ],
  // The second use of a refresh token ends the grant: the person has to sign in again.
  rotateRefreshToken: true,
  ttl: { AccessToken: 1, RefreshToken: 86_400, Grant: 86_400 },
  findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
});
provider.on("access_token.saved", ({ jti }) => void tokens.push(jti));
provider.on("refresh_token.saved", ({ jti }) => void tokens.push(jti));
provider.on("grant.success", () => void renewals++);
provider.on("grant.error", () => void refusals++);

const handle = provider.callback();
server.on("request", async (request, response) => {
  if (request.url === "/state") {
    response.end(JSON.stringify({ renewals, refusals, tokens } satisfies AuthorizationState));
  } else if (request.url === "/profile") {
    const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    const found = await provider.AccessToken.find(token);
    response
      .writeHead(found?.isValid === true ? 200 : 401, { "content-type": "application/json" })
      .end('{"name":"Ada"}');
  } else await handle(request, response);
});

/** Signs a person in, without the page on which the person would do it. */
async function signIn(): Promise<string> {
  const client = await provider.Client.find(clientId);
  if (client === undefined) throw new Error("There is no client.");
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope("openid offline_access");
  const grantId = await grant.save();
  const token = new provider.RefreshToken({
    ...{ client, accountId, grantId },
    gty: "authorization_code",
    scope: "openid offline_access",
  });
  return token.save();
}

process.send?.({ origin, clientId, refreshToken: await signIn() } satisfies SignIn);
process.once("disconnect", () => process.exit());
process.on("SIGINT", () => {});
