import { homedir } from "node:os";
import { expect, test } from "vitest";
import { resolveReferences } from "../src/reading/references.ts";

const given = {
  env: { NAME: "ada", EMPTY: "", API_KEY: "k-12345", NESTED: "${NAME}" },
  folder: "/work/project",
  inputs: new Map([
    ["api-key", { id: "api-key", password: true, default: "never" }],
    ["region", { id: "region", default: "eu" }],
  ]),
};

const resolved = (text: string): string => {
  const { text: result, faults, unset } = resolveReferences(text, given);
  expect([faults, unset]).toEqual([[], []]);
  return result;
};

test.each([
  ["${NAME}", "ada"],
  ["Bearer ${env:NAME}, ${NAME}", "Bearer ada, ada"],
  ["${EMPTY}", ""],
  ["${UNSET:-text}", "text"],
  ["${env:UNSET:-text}", "text"],
  ["${EMPTY:-text}", "text"],
  ["${NAME:-text}", "ada"],
  ["${UNSET:-}", ""],
  ["${UNSET:-https://a.example/x}", "https://a.example/x"],
  ["${input:api-key}", "k-12345"],
  ["${input:region}", "eu"],
  ["${workspaceFolder}/a", "/work/project/a"],
  ["${workspaceFolderBasename}", "project"],
  ["${userHome}", homedir()],
])("%s is replaced by its value", (text, value) => {
  expect(resolved(text)).toBe(value);
});

test.each(["$NAME", "$$", "$(id)", "%NAME%", "{NAME}", "a$"])("%s is unchanged", (text) => {
  expect(resolved(text)).toBe(text);
});

test("$${ means ${", () => {
  expect(resolved("$${NAME} of ${NAME}")).toBe("${NAME} of ada");
});

test("the value of a variable is not resolved again", () => {
  expect(resolved("${NESTED}")).toBe("${NAME}");
});

test.each([
  ["${UNSET}", "the environment variable UNSET is not set: set it, or write ${UNSET:-text}"],
  ["${env:UNSET}", "the environment variable UNSET is not set"],
  ["${input:other}", "set the environment variable OTHER"],
  ["${}", "is no reference"],
  ["${a b}", "is no reference"],
  ["${NAME", "is no reference"],
  ["${file:/etc/passwd}", "is no reference"],
  ["${constructor}", "the environment variable constructor is not set"],
  ["${env:toString}", "the environment variable toString is not set"],
  ["${__proto__}", "the environment variable __proto__ is not set"],
])("%s is an error with a correction", (text, fault) => {
  const { faults, unset } = resolveReferences(text, given);
  expect([...faults, ...unset]).toEqual([expect.stringContaining(fault)]);
});

test("the default of a password is not accepted", () => {
  const { unset } = resolveReferences("${input:api-key}", { ...given, env: {} });
  expect(unset).toEqual([expect.stringContaining("set the environment variable API_KEY")]);
});
