import { expect, test } from "vitest";
import {
  hasLiteralPassword,
  isDatabaseUrl,
  maskDatabaseUrl,
  readDatabaseAddress,
  readPasswords,
  resolveStore,
} from "../../src/store/database-url.ts";

const given = (env: Readonly<Record<string, string>>) => ({
  env,
  folder: "/here",
  inputs: new Map(),
});

test.each([
  ["postgres://db/app", true],
  ["postgresql://db/app", true],
  ["POSTGRES://db/app", true],
  ["postgres", false],
  ["./postgres:/db", false],
  ["mysql://db/app", false],
])("%s is the URL of a database: %s", (text, expected) => {
  expect(isDatabaseUrl(text)).toBe(expected);
});

test("values in user and password are encoded, and others are put in as they are", () => {
  const written = "postgres://${DB_USER}:${DB_PASSWORD}@${DB_HOST}/app?sslmode=${MODE:-disable}";
  const { text, taken, variables } = resolveStore(
    written,
    given({ DB_USER: "a@b", DB_PASSWORD: "p:/?#@w", DB_HOST: "db.example.com:6543" }),
  );
  expect(text).toBe("postgres://a%40b:p%3A%2F%3F%23%40w@db.example.com:6543/app?sslmode=disable");
  expect(readPasswords(text)).toEqual(["p%3A%2F%3F%23%40w", "p:/?#@w"]);
  expect(readDatabaseAddress(text)).toEqual({
    host: "db.example.com",
    port: 6543,
    database: "app",
  });
  expect(taken).toContainEqual({ name: "DB_PASSWORD", value: "p:/?#@w" });
  expect(variables).toEqual(["DB_USER", "DB_PASSWORD", "DB_HOST", "MODE"]);
});

test("a variable can have the whole URL", () => {
  const url = "postgres://app:pw@db/app";
  expect(resolveStore("${DATABASE_URL}", given({ DATABASE_URL: url })).text).toBe(url);
});

test("a variable that is not set is reported once", () => {
  const { unset } = resolveStore("postgres://app:${NONE}@db/app", given({}));
  expect(unset).toHaveLength(1);
});

test.each([
  ["postgres://app:secret@db/app", true, "postgres://app:…@db/app"],
  ["postgres://app:${A}x@db/app", true, "postgres://app:…@db/app"],
  ["postgres://db/app?password=secret", true, "postgres://db/app?password=…"],
  ["postgres://app:${DB_PASSWORD}@db/app", false, undefined],
  ["postgres://app:${env:DB_PASSWORD}@db/app", false, undefined],
  ["postgres://app:${DB_PASSWORD:-dev@home}@db/app", false, undefined],
  ["postgres://db/app?password=${DB_PASSWORD}", false, undefined],
  ["postgres://app@db/app", false, undefined],
  ["postgres://db/app", false, undefined],
  ["./a:b@c", false, undefined],
])("%s has a literal password: %s", (written, expected, masked = written) => {
  expect(hasLiteralPassword(written)).toBe(expected);
  expect(maskDatabaseUrl(written)).toBe(masked);
});

test.each([
  ["postgres://db", { host: "db", port: 5432, database: "postgres" }],
  ["postgres://ada@db:6000", { host: "db", port: 6000, database: "ada" }],
  ["postgres://[::1]:6000/app", { host: "[::1]", port: 6000, database: "app" }],
  [
    "postgres:///app?host=/run/postgresql",
    { host: "/run/postgresql", port: 5432, database: "app" },
  ],
  ["postgres://db:none/app", undefined],
  ["postgres://db/%E0%A4%A", undefined],
])("the address of %s is %j", (url, address) => {
  expect(readDatabaseAddress(url)).toEqual(address);
});
