import { expect, test } from "vitest";
import type { TokenClient } from "../../src/auth/token-client.ts";
import { OAuthClients } from "../../src/auth/oauth-clients.ts";

const client: TokenClient = {
  interactive: false,
  flow: "clientCredentials",
  options: { clientId: "c", clientSecret: "s", tokenUrl: "https://login.example/token" },
  scopes: [],
};

test("a server that grants other scopes each time creates no more clients than are cached", async () => {
  const clients = new OAuthClients({}, {});
  const first = clients.get("oauth", client, ["first"]);
  const used = clients.get("oauth", client, ["used"]);
  for (let count = 0; count < 100; count++) {
    clients.get("oauth", client, [`scope ${count}`]);
    expect(clients.get("oauth", client, ["used"])).toBe(used);
  }
  expect(clients.get("oauth", client, ["first"])).not.toBe(first);
  await clients.close();
});
