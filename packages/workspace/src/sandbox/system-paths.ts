import { existsSync } from "node:fs";

/** Folders of the system that are links on most systems, and folders on some. */
export const systemFolders: readonly string[] = [
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
];

/** Files of `/etc` that programs need, without those that name accounts of services or keys. */
export const systemSettings: readonly string[] = [
  "alternatives",
  "ca-certificates",
  "group",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "passwd",
  "pki",
  "protocols",
  "resolv.conf",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
].map((name) => `/etc/${name}`);

/** The first of the paths that exists, on Linux; undefined: none does. */
export function findProgram(paths: readonly string[]): string | undefined {
  return process.platform === "linux" ? paths.find((path) => existsSync(path)) : undefined;
}
