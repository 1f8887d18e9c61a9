import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, resolve } from "node:path";

/**
 * Checks that a program exists before the shell starts it, whose error message would be another one.
 *
 * @param path Search path of programs: `PATH`.
 * @throws Error with the code `ENOENT` or `EACCES`.
 */
export async function findProgram(
  command: string,
  cwd: string | undefined,
  path: string | undefined,
): Promise<void> {
  const folder = cwd ?? process.cwd();
  if (cwd !== undefined && !(await isFolder(cwd)))
    throw notFoundError(`there is no such folder: ${cwd}`);
  // Without a path, the platform uses its own.
  if (!command.includes("/") && path === undefined) return;
  const candidates = command.includes("/")
    ? [resolve(folder, command)]
    : (path ?? "").split(delimiter).map((place) => resolve(folder, place, command));
  let refusal = notFoundError(`there is no such program: ${command}`);
  for (const candidate of candidates) {
    const found = await checkProgram(candidate);
    if (found === "program") return;
    if (found === "no program") {
      refusal = Object.assign(new Error(`${candidate} is not executable`), { code: "EACCES" });
    }
  }
  throw refusal;
}

async function checkProgram(file: string): Promise<"program" | "no program" | undefined> {
  try {
    if (!(await stat(file)).isFile()) return undefined;
  } catch {
    return undefined;
  }
  return access(file, constants.X_OK).then(
    () => "program" as const,
    () => "no program" as const,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function notFoundError(message: string): Error {
  return Object.assign(new Error(message), { code: "ENOENT" });
}
