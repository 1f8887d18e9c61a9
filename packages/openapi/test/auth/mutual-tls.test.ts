import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { JsonObject } from "@toolweave/core";
import { memoryCredentials, type CredentialStore } from "@toolweave/core/stores";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ClientCertificate, OpenApiAuth } from "../../src/index.ts";
import { openSource, findTool } from "../support/call-tool.ts";
import { toolContext } from "../support/tool-context.ts";

type Authority = Awaited<ReturnType<typeof generate>>;

let authority: Authority;
let origin: string;
let stop: () => void;

const named = (commonName: string): { name: string; value: string }[] => [
  { name: "commonName", value: commonName },
];

async function issued(commonName: string): Promise<ClientCertificate> {
  const { cert, private: privateKey } = await generate(named(commonName), {
    keyType: "ec",
    algorithm: "sha256",
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
    ],
  });
  return { certificate: cert, privateKey };
}

beforeAll(async () => {
  authority = await generate(named("Museum CA"), {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const { certificate: cert, privateKey: key } = await issued("server");
  const server = createServer(
    { cert, key, ca: authority.cert, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>;
      const who = socket.authorized ? String(subject?.CN) : null;
      response.setHeader("content-type", "application/json");
      response.writeHead(who === null ? 401 : 200).end(JSON.stringify({ who }));
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stop = () => {
    server.close();
    server.closeAllConnections();
  };
});
afterAll(() => stop());

/** The caller's name according to the server. */
async function presented(
  auth: OpenApiAuth,
  callers: readonly (string | undefined)[],
): Promise<readonly unknown[]> {
  const source = await openSource(
    { "/x": { get: { operationId: "x", security: [{ tls: [] }], responses: {} } } },
    { id: "tls", baseUrl: origin, certificateAuthorities: authority.cert, auth },
    { components: { securitySchemes: { tls: { type: "mutualTLS" } } } } as unknown as JsonObject,
  );
  onTestFinished(() => source.close());
  const outputs = await Promise.all(
    callers.map((id) =>
      findTool(source, "x").invoke(
        {},
        id === undefined ? toolContext() : { ...toolContext(), caller: { id } },
      ),
    ),
  );
  return outputs.map((output) => (output as { readonly value?: unknown }).value);
}

describe("mutual TLS (OpenAPI 3.2 section 4.27.2.4)", () => {
  test("presents the host's certificate", async () => {
    expect(await presented({ schemes: { tls: await issued("shop") } }, ["ada", undefined])).toEqual(
      [{ who: "shop" }, { who: "shop" }],
    );
  });

  test("presents each caller's own, on separate connections", async () => {
    const store: CredentialStore = memoryCredentials();
    for (const caller of ["ada", "bob"]) {
      const credential = { type: "certificate", ...(await issued(caller)) } as const;
      await store.set({ source: "tls", scheme: "tls", caller }, credential);
    }
    const callers = ["ada", "bob", "eve", "ada", "bob", "eve", "ada"];
    const seen = await presented({ store }, callers);
    expect(seen).toEqual(callers.map((caller) => ({ who: caller === "eve" ? null : caller })));
  });
});
