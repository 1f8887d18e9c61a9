import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningServer } from "../server-program.ts";
import {
  awaitResult,
  serverTools,
  readText,
  type CallTool,
  type ServerTools,
} from "../server-tools.ts";
import { startHomebridge } from "./homebridge.ts";

let server: RunningServer;
let tools: ServerTools;
let ada: CallTool;
let bob: CallTool;

beforeAll(async () => {
  server = await startHomebridge();
  tools = await serverTools(server, {
    documents: { home: "/swagger-json" },
    scheme: "bearer",
    token: "access_token",
  });
  ada = tools.as("ada");
  bob = tools.as("bob");
}, 400_000);

afterAll(async () => {
  await tools?.close();
  await server?.stop();
});

const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The only matching file in the server's folder. */
function file(pattern: string): Buffer {
  const [found, ...more] = globSync(pattern, { cwd: server.home });
  if (found === undefined || more.length > 0) throw new Error(`${pattern}: ${1 + more.length}`);
  return readFileSync(join(server.home, found));
}

const account = (name: string, admin: boolean): JsonObject => ({
  name,
  username: name.toLowerCase(),
  admin,
  password: `${name}'s password`,
});

// One server, one sequence: each test continues after the previous one.
describe("Homebridge UI", () => {
  test("has a tool for each operation, and warns of those that refer to a schema without a name", async () => {
    const response = await fetch(`${server.origin}/swagger-json`);
    const document = (await response.json()) as { paths: Record<string, JsonObject> };
    const operations = Object.values(document.paths).flatMap((item) => Object.keys(item));
    const [source] = tools.sources;
    source?.realize();
    const dangling = (source?.problems ?? []).filter(({ message }) =>
      message.includes('"#/components/schemas/" points to nothing'),
    );
    const references = JSON.stringify(document.paths).match(/"#\/components\/schemas\/"/g) ?? [];
    expect(references.length).toBeGreaterThan(0);
    expect(dangling.map(({ severity }) => severity)).toEqual(references.map(() => "warning"));
    for (const { pointer = "" } of dangling) {
      const at = pointer
        .slice(1)
        .split("/")
        .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
        .reduce<JsonValue>(
          (value, token) => (value as JsonObject)[token] ?? null,
          document as never,
        );
      expect(at).toEqual({ $ref: "#/components/schemas/" });
    }
    expect(operations.length).toBeGreaterThan(90);
    expect(source?.tools()).toHaveLength(operations.length);
  });

  test("reports that credentials are missing, and that they are refused", async () => {
    const without = await awaitResult(ada("home__users_controller_get_users"));
    expect(without).toMatchObject({ isError: true, details: { status: 401 } });
    expect(readText(without)).toContain("Credentials are missing: the host has to configure them");
    const key = tools.key("home", "ada");
    await tools.store.set(key, { type: "secret", secret: "no.such.token" });
    const wrong = await awaitResult(ada("home__users_controller_get_users"));
    expect(readText(wrong)).toContain("The credentials were refused");
    expect(JSON.stringify(wrong)).not.toContain("no.such.token");
    await tools.store.delete(key);
  });

  test("creates the first account, and signs it in with a token that only the store receives", async () => {
    const first = await awaitResult(
      ada("home__setup_wizard_controller_setup_first_user", account("Ada", true)),
    );
    expect(first.value).toMatchObject({ id: 1, username: "ada", admin: true });
    const signIn = (password: string): Promise<JsonObject> =>
      awaitResult(
        ada("home__auth_controller_sign_in", { username: "ada", password }),
      ) as unknown as Promise<JsonObject>;
    expect(await signIn("a guess")).toMatchObject({ isError: true, details: { status: 403 } });
    const signedIn = await signIn("Ada's password");
    const kept = await tools.store.get(tools.key("home", "ada"));
    expect(kept).toMatchObject({
      type: "secret",
      secret: expect.stringMatching(/^ey\S+\.\S+\.\S+$/),
    });
    expect(signedIn["value"]).toMatchObject({ access_token: "[redacted]", token_type: "Bearer" });
    expect(JSON.stringify(signedIn)).not.toContain((kept as { secret: string }).secret);
    const check = await awaitResult(ada("home__auth_controller_check_auth"));
    expect(check.value).toEqual({ status: "OK" });
  });

  test("creates, lists, updates and deletes", async () => {
    const list = async (): Promise<JsonValue | undefined> =>
      (await awaitResult(ada("home__users_controller_get_users"))).value;
    const eve = { id: 2, name: "Eve", username: "eve", admin: false, otpActive: false };
    const added = await awaitResult(ada("home__users_controller_add_user", account("Eve", false)));
    expect(added).toMatchObject({ value: eve, details: { status: 201 } });
    expect(await list()).toEqual([expect.objectContaining({ id: 1 }), eve]);
    const renamed = { ...account("Eve", false), userId: 2, name: "Ève & Söhne 💡" };
    await awaitResult(ada("home__users_controller_update_user", renamed));
    expect(await list()).toContainEqual({ ...eve, name: "Ève & Söhne 💡" });
    const gone = await awaitResult(ada("home__users_controller_delete_user", { userId: 2 }));
    expect(readText(gone)).toBe("200 OK");
    expect(await list()).toEqual([expect.objectContaining({ id: 1 })]);
    const again = await awaitResult(ada("home__users_controller_delete_user", { userId: 2 }));
    expect(readText(again)).toMatch(/^400 Bad Request: .*User Not Found/);
  });

  test("keeps the calls of two people apart", async () => {
    await awaitResult(ada("home__users_controller_add_user", account("Bob", false)));
    const stranger = await awaitResult(bob("home__users_controller_get_users"));
    expect(readText(stranger)).toContain("Credentials are missing");
    const password = "Bob's password";
    await awaitResult(bob("home__auth_controller_sign_in", { username: "bob", password }));
    const signedIn = await awaitResult(bob("home__auth_controller_check_auth"));
    expect(signedIn.value).toEqual({ status: "OK" });
    const user = await awaitResult(bob("home__users_controller_get_users"));
    expect(readText(user)).toMatch(/^403 Forbidden: .*\nThe credentials do not permit this\./);
  });

  test("returns a file byte for byte, and accepts it again", async () => {
    await awaitResult(ada("home__backup_controller_create_backup_in_directory"));
    const backups = await awaitResult(ada("home__backup_controller_list_scheduled_backups"));
    const [{ id: backupId }] = backups.value as [{ id: string }];
    const onDisk = file("data/backups/**/*.tar.gz");
    expect(onDisk.length).toBeGreaterThan(1_000_000);

    const download = "home__backup_controller_get_scheduled_backup";
    const downloaded = await awaitResult(ada(download, { backupId }));
    const [artifact] = downloaded.artifacts;
    expect(artifact).toMatchObject({ mediaType: "application/octet-stream", size: onDisk.length });

    const key = artifact?.key ?? "";
    expect(hash(await tools.bytes(key))).toBe(hash(onDisk));

    // By its key, which only its owner can use, and as base64 in the arguments.
    const upload = "home__backup_controller_restore_backup";
    expect(await bob(upload, { file: key })).toMatchObject({
      status: "failed",
      error: { code: "artifact_missing" },
    });
    for (const sent of [key, onDisk.toString("base64")]) {
      expect(readText(await awaitResult(ada(upload, { file: sent })))).toBe("201 Created");
    }
    const recording = hash(file("data/recording.bin"));
    const restored = globSync("temporary/*/storage/recording.bin", { cwd: server.home });
    expect(restored).toHaveLength(2);
    for (const path of restored) {
      expect(hash(readFileSync(join(server.home, path)))).toBe(recording);
    }

    await awaitResult(ada("home__backup_controller_delete_scheduled_backup", { backupId }));
    const none = await awaitResult(ada("home__backup_controller_list_scheduled_backups"));
    expect(none.value).toEqual([]);
  });

  test("names a download as the API does, and reports why an upload is refused", async () => {
    const { artifacts } = await awaitResult(ada("home__backup_controller_download_backup"));
    expect(artifacts[0]?.name).toMatch(/^homebridge-backup-0E029CC9E50A\.\d+\.tar\.gz$/);
    const upload = { file: Buffer.from("no archive").toString("base64") };
    const refused = await awaitResult(ada("home__backup_controller_restore_backup", upload));
    expect(readText(refused)).toMatch(/^500 Internal Server Error: .*TAR_BAD_ARCHIVE/);
  });

  test("connects to nothing but this machine", async () => {
    const search = ada("home__plugins_controller_plugins_search", { query: "light" });
    expect(readText(await awaitResult(search))).toMatch(
      /^500 Internal Server Error: .*registry\.npmjs\.org is not on this machine/,
    );
  });
});
