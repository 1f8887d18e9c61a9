import { connect as dial, type LookupFunction, type Socket } from "node:net";
import { buildConnector } from "undici";
import { describe, expect, it } from "vitest";
import type { Reach } from "../../src/address/origin.ts";
import {
  AddressRefused,
  guardedConnector,
  type ConnectorParts,
} from "../../src/connection/guarded-connector.ts";
import { serve } from "../support/servers.ts";

/** A resolver that returns one set of addresses after another, and counts. */
function resolver(...answers: string[][]): { lookup: LookupFunction; asked: () => number } {
  let asked = 0;
  const lookup = ((_host, _options, callback) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
    const family = (address: string): number => (address.includes(":") ? 6 : 4);
    const records = addresses.map((address) => ({ address, family: family(address) }));
    queueMicrotask(() => callback(null, records));
  }) as LookupFunction;
  return { lookup, asked: () => asked };
}

/** Runs undici's connector up to the address to dial, and does not dial. */
function recorder(): { build: ConnectorParts["build"]; dialled: string[] } {
  const dialled: string[] = [];
  const build: ConnectorParts["build"] = (options) => (target, callback) => {
    const lookup = (options as { lookup: LookupFunction }).lookup;
    lookup(target.hostname, { all: true }, (error, addresses) => {
      if (error) return callback(error, null as never);
      for (const { address } of addresses as unknown as { address: string }[])
        dialled.push(address);
      return callback(new Error("not dialled in this test"), null as never);
    });
  };
  return { build, dialled };
}

function attempt(
  reach: Reach,
  hostname: string,
  parts: ConnectorParts,
  port = 80,
): Promise<Socket | Error> {
  const connector = guardedConnector(reach, parts);
  return new Promise((resolve) => {
    connector(
      { hostname, host: hostname, protocol: "http:", port: String(port) },
      (error, socket) => resolve(error ?? socket),
    );
  });
}

function getRefusedKind(outcome: unknown): string | undefined {
  return outcome instanceof AddressRefused ? outcome.kind : undefined;
}

describe("the guarded connector", () => {
  it("dials the addresses of a name if all of them are public", async () => {
    const { build, dialled } = recorder();
    const { lookup } = resolver(["93.184.216.34", "2606:4700::1111"]);
    await attempt("public", "example.com", { build, lookup });
    expect(dialled).toEqual(["93.184.216.34", "2606:4700::1111"]);
  });

  it.each([
    [["93.184.216.34", "127.0.0.1"], "loopback"],
    [["2606:4700::1111", "::ffff:10.0.0.1"], "private"],
    [["169.254.169.254"], "cloud metadata"],
  ])(
    "mixed answers: answers with a forbidden address among them (%j) are refused completely",
    async (answers, kind) => {
      const { build, dialled } = recorder();
      const outcome = await attempt("public", "mixed.example", {
        build,
        lookup: resolver(answers).lookup,
      });
      expect(getRefusedKind(outcome)).toBe(kind);
      expect(dialled).toEqual([]);
    },
  );

  it("DNS rebinding: a name that resolves differently the second time is resolved once per connection", async () => {
    const { build, dialled } = recorder();
    const { lookup, asked } = resolver(["93.184.216.34"], ["127.0.0.1"]);
    await attempt("public", "rebind.example", { build, lookup });
    expect(asked()).toBe(1);
    expect(dialled).toEqual(["93.184.216.34"]);
  });

  it("DNS rebinding: a name that becomes private later is refused at the next connection", async () => {
    const { build, dialled } = recorder();
    const connector = guardedConnector("public", {
      build,
      lookup: resolver(["93.184.216.34"], ["127.0.0.1"]).lookup,
    });
    const connectOnce = (): Promise<unknown> =>
      new Promise((resolve) => {
        connector({ hostname: "rebind.example", protocol: "http:", port: "80" }, (error, socket) =>
          resolve(error ?? socket),
        );
      });
    await connectOnce();
    expect(getRefusedKind(await connectOnce())).toBe("loopback");
    expect(dialled).toEqual(["93.184.216.34"]);
  });

  it("DNS rebinding: a peer other than the checked address is disconnected before anything is sent", async () => {
    const server = await serve((_request, response) => response.end());
    // A connector that ignores the checked answers, like a proxy or a changed resolver.
    const build: ConnectorParts["build"] = () => (_target, callback) => {
      const socket = dial(server.port, "127.0.0.1", () => callback(null, socket));
    };
    const outcome = await attempt("public", "example.com", { build });
    expect(getRefusedKind(outcome)).toBe("loopback");
    expect(server.requests).toEqual([]);
  });

  it("returns the socket if literal, answers and peer pass", async () => {
    const server = await serve((_request, response) => response.end());
    const parts: ConnectorParts = {
      build: buildConnector,
      lookup: resolver(["127.0.0.1"]).lookup,
      toAddressKind: () => undefined,
    };
    const outcome = await attempt("public", "example.com", parts, server.port);
    expect(outcome).toMatchObject({ remoteAddress: "127.0.0.1", remotePort: server.port });
    (outcome as Socket).destroy();
  });

  it.each(["127.0.0.1", "::1", "::ffff:7f00:1", "10.1.2.3", "0.0.0.0"])(
    "SR01: the literal %s is refused without a lookup",
    async (hostname) => {
      const { build, dialled } = recorder();
      const { lookup, asked } = resolver(["93.184.216.34"]);
      const outcome = await attempt("public", hostname, { build, lookup });
      expect(outcome).toMatchObject({ name: "AddressRefused", literal: true });
      expect([asked(), dialled]).toEqual([0, []]);
    },
  );

  it.each(["given", "allowed"] as const)("allows a %s origin to be private", async (reach) => {
    const { build, dialled } = recorder();
    await attempt(reach, "intranet.example", { build, lookup: resolver(["10.0.0.7"]).lookup });
    expect(dialled).toEqual(["10.0.0.7"]);
  });

  it.each(["public", "given", "allowed"] as const)(
    "SR03: a %s name that resolves to cloud metadata is refused",
    async (reach) => {
      const { build, dialled } = recorder();
      const outcome = await attempt(reach, "innocent.example", {
        build,
        lookup: resolver(["10.0.0.7", "169.254.169.254"]).lookup,
      });
      expect(outcome).toBeInstanceOf(AddressRefused);
      expect(dialled).toEqual([]);
    },
  );

  it.each([
    ["given", "169.254.169.254"],
    ["given", "metadata.google.internal"],
    ["public", "metadata.google.internal."],
  ] as const)("SR03: a %s origin may not be %s itself", async (reach, hostname) => {
    const { build, dialled } = recorder();
    const outcome = await attempt(reach, hostname, {
      build,
      lookup: resolver(["93.184.216.34"]).lookup,
    });
    expect(getRefusedKind(outcome)).toBe("cloud metadata");
    expect(dialled).toEqual([]);
  });

  it("SR03: only an allowed origin that is the metadata service itself reaches it", async () => {
    const { build, dialled } = recorder();
    const lookup = resolver(["169.254.169.254"]).lookup;
    await attempt("allowed", "metadata.google.internal", { build, lookup });
    expect(dialled).toEqual(["169.254.169.254"]);
  });

  it("passes a failed lookup on", async () => {
    const { build } = recorder();
    const gone = Object.assign(new Error("gone"), { code: "ENOTFOUND" });
    const lookup = ((_host, _options, callback) => callback(gone, [])) as LookupFunction;
    expect(await attempt("public", "nowhere.example", { build, lookup })).toBe(gone);
  });
});
