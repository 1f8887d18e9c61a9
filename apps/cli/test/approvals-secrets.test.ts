import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { remove, requests, run, shop, store, usePetShop } from "./support/pet-shop-with-store.ts";
import { idIn } from "./support/run-cli.ts";

usePetShop();

const sent = (): string[] =>
  requests().map(({ method, url, body }) => `${method} ${url} ${body}`.trim());

describe("secrets of a pending call", () => {
  const everywhere = (): string =>
    readdirSync(dirname(store))
      .map((name) => readFileSync(`${dirname(store)}/${name}`, "latin1"))
      .join();

  test("are never stored, and requested again by name", async () => {
    const called = await run([
      ...remove(7, "--auth", "bearer:s3cret-t0ken", "--header", "X-Key: s3cret-k3y"),
      ...["--auth", "apiKey:shopKey=s3cret-shop", "--json"],
    ]);
    const id = idIn(called);
    expect(called.stderr).toContain(
      ` --header 'X-Key: $X_KEY' --auth 'bearer:$TOKEN' --auth 'apiKey:shopKey=$SHOPKEY'\n`,
    );
    expect(called.stderr).toContain("Put what is secret into $X_KEY, $TOKEN, $SHOPKEY first");
    expect(everywhere() + called.stdout + called.stderr).not.toContain("s3cret");
    const without = await run(["approvals", "approve", id, "--auth", "bearer:x"]);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain(
      "Add --header 'X-Key: $X_KEY' --auth 'apiKey:shopKey=$SHOPKEY'",
    );
    const env = { TOKEN: "t-1", X_KEY: "k-1", SHOPKEY: "s-1" };
    const options = ["--auth", "bearer:$TOKEN", "--header", "x-key: $X_KEY"];
    const approved = await run(
      ["approvals", "approve", id, ...options, "--auth", "apiKey:shopKey=$SHOPKEY"],
      { env },
    );
    expect(approved.code).toBe(0);
    expect(shop.requests.at(-1)?.headers).toMatchObject({
      authorization: "Bearer t-1",
      "x-key": "k-1",
    });
  });

  test("that are in the environment are read from it again", async () => {
    const argv = remove(7, "--auth", "basic:ada:$PASSWORD", "--header", "X-A: ${A}");
    const id = idIn(await run(argv, { env: { A: "0", PASSWORD: "0" } }));
    const unset = await run(["approvals", "approve", id], { env: { A: "1" } });
    expect(unset.code).toBe(2);
    expect(unset.stderr).toContain("PASSWORD, which is not set");
    const env = { A: "1", PASSWORD: "s3cret" };
    expect((await run(["approvals", "approve", id], { env })).code).toBe(0);
    expect(shop.requests.at(-1)?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from("ada:s3cret").toString("base64")}`,
      "x-a": "1",
    });
    expect(sent()).toEqual(["DELETE /pets/7"]);
  });

  test("in an address are not stored either", async () => {
    const address = `${shop.documentUrl}?sig=s3cret`;
    const called = await run(["call", "delete_pet", "id=7", "--openapi", address]);
    expect(called.stderr).toContain(` --openapi '${shop.documentUrl}?QUERY'\n`);
    expect(everywhere()).not.toContain("s3cret");
    const id = idIn(called);
    expect((await run(["approvals", "approve", id])).code).toBe(2);
    expect((await run(["approvals", "approve", id, "--openapi", address])).code).toBe(0);
    expect(sent().filter((request) => !request.startsWith("GET"))).toEqual(["DELETE /pets/7"]);
  });
});
