import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { generate } from "selfsigned";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { httpClient, type HttpClientOptions } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { serve } from "../support/servers.ts";

type Certificate = Awaited<ReturnType<typeof generate>>;

const names = (commonName: string) => [{ name: "commonName", value: commonName }];

async function issued(commonName: string, by: Certificate, passphrase?: string) {
  const altNames = [{ type: 7 as const, ip: "127.0.0.1" }];
  const { cert, private: privateKey } = await generate(names(commonName), {
    keyType: "ec",
    algorithm: "sha256",
    ca: { key: by.private, cert: by.cert },
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "subjectAltName", altNames },
    ],
    ...(passphrase === undefined ? {} : { passphrase }),
  });
  return { type: "certificate", certificate: cert, privateKey } as const;
}

type Issued = Awaited<ReturnType<typeof issued>>;

let authority: Certificate;
let ofServer: Issued;
let ada: Issued;
let bob: Issued;

beforeAll(async () => {
  authority = await generate(names("Museum CA"), {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  [ofServer, ada, bob] = await Promise.all([
    issued("museum", authority),
    issued("ada", authority),
    issued("bob", authority),
  ]);
});

interface TlsServer {
  readonly origin: string;
  /** The client name of each connection. */
  readonly peers: string[];
}

/** Answers with the name in the client's certificate; a path is a redirect target. */
async function tlsServer(rejectUnauthorized: boolean): Promise<TlsServer> {
  const peers: string[] = [];
  const { certificate: cert, privateKey: key } = ofServer;
  const options = { cert, key, ca: authority.cert, requestCert: true, rejectUnauthorized };
  const server = createServer(options, (request, response) => {
    const to = decodeURIComponent(request.url?.slice(1) ?? "");
    if (to !== "") response.writeHead(307, { location: to });
    response.end(readName(request.socket as TLSSocket));
  });
  server.on("secureConnection", (socket) => peers.push(readName(socket)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, peers };
}

function readName(socket: TLSSocket): string {
  const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  return String(subject?.CN ?? "unknown");
}

function clientFor(origins: readonly string[], options: HttpClientOptions = {}) {
  const certificateAuthorities = authority.cert;
  return httpClient({ givenOrigins: origins, certificateAuthorities, ...options });
}

describe("a private authority", () => {
  it("is trusted by the client that names it, and by no other", async () => {
    const { origin } = await tlsServer(false);
    const request = { method: "GET", url: origin };
    expect((await clientFor([origin]).request(request)).text()).toBe("unknown");
    const error = await failure(httpClient({ givenOrigins: [origin] }).request(request));
    expect(error).toMatchObject({ code: "unavailable", retryable: false });
  });

  it("is refused if it is not a certificate", async () => {
    const { origin } = await tlsServer(false);
    const client = clientFor([origin], { certificateAuthorities: "-----BEGIN NOTHING-----" });
    const error = await failure(client.request({ method: "GET", url: origin }));
    expect(error.code).toBe("invalid_configuration");
  });
});

describe("a client certificate", () => {
  it("identifies the client to a server", async () => {
    const { origin } = await tlsServer(true);
    const client = clientFor([origin]);
    const request = { method: "GET", url: origin };
    expect((await client.request({ ...request, certificate: ada })).text()).toBe("ada");
    const without = await failure(client.request(request));
    expect(without.code).toBe("unavailable");
  });

  it("has separate connections", async () => {
    const { origin, peers } = await tlsServer(false);
    const request = { method: "GET", url: origin };
    const said = async (certificate?: Issued): Promise<string> =>
      (await clientFor([origin]).request({ ...request, certificate })).text();
    for (let round = 0; round < 3; round++) {
      expect(await said(ada)).toBe("ada");
      expect(await said()).toBe("unknown");
      expect(await said(bob)).toBe("bob");
      // The same certificate as another object.
      expect(await said({ ...ada })).toBe("ada");
    }
    expect(new Set(peers)).toEqual(new Set(["ada", "bob", "unknown"]));
    // They are used again.
    expect(peers.length).toBeLessThan(12);
  });

  it("is used for a redirect within the origin, and not for another origin", async () => {
    const first = await tlsServer(false);
    const second = await tlsServer(false);
    const client = clientFor([first.origin, second.origin]);
    const follow = async (to: string): Promise<string> => {
      const url = `${first.origin}/${encodeURIComponent(to)}`;
      return (await client.request({ method: "GET", url, certificate: ada })).text();
    };
    expect(await follow("/")).toBe("ada");
    expect(await follow(second.origin)).toBe("unknown");
    expect(second.peers).toEqual(["unknown"]);
  });

  it("may have a key with a passphrase", async () => {
    const { origin } = await tlsServer(true);
    const certificate = {
      ...(await issued("eve", authority, "open, sesame")),
      passphrase: "open, sesame",
    };
    const answer = await clientFor([origin]).request({ method: "GET", url: origin, certificate });
    expect(answer.text()).toBe("eve");
  });

  it("is refused if it cannot be used, and stays secret", async () => {
    const { origin } = await tlsServer(true);
    const client = clientFor([origin]);
    const locked = await issued("eve", authority, "open, sesame");
    for (const certificate of [
      { ...ada, privateKey: bob.privateKey },
      { ...ada, privateKey: "no key" },
      { ...ada, certificate: "no certificate" },
      locked,
      { ...locked, passphrase: "a wrong passphrase" },
    ]) {
      const error = await failure(client.request({ method: "GET", url: origin, certificate }));
      expect(error).toMatchObject({ code: "auth_required", audience: "user" });
      const errorText = `${error.message} ${String(error.cause)}`;
      expect(errorText).not.toContain("a wrong passphrase");
      expect(errorText).not.toContain(ada.privateKey.split("\n")[1]);
    }
  });

  it("is not used without TLS", async () => {
    const server = await serve((_request, response) => response.end());
    const client = clientFor([server.origin]);
    const request = { method: "GET", url: server.origin, certificate: ada };
    expect((await failure(client.request(request))).code).toBe("permission_denied");
    expect(server.requests).toEqual([]);
  });
});
