import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, resolve } from "node:path";

/**
 * Makes sure that a program is there before somebody else is asked to run it, whose words would be other ones.
 *
 * @param path where programs are searched for: `PATH`.
 * @throws Error with the code `ENOENT` or `EACCES`.
 */
export async function findProgram(
  command: string,
  cwd: string | undefined,
  path: string | undefined,
): Promise<void> {
  const folder = cwd ?? process.cwd();
  if (cwd !== undefined && !(await isFolder(cwd))) throw missing(`there is no folder ${cwd}`);
  // The platform has a path of its own where none is given.
  if (!command.includes("/") && path === undefined) return;
  const candidates = command.includes("/")
    ? [resolve(folder, command)]
    : (path ?? "").split(delimiter).map((place) => resolve(folder, place, command));
  let refusal = missing(`there is no program ${command}`);
  for (const candidate of candidates) {
    const found = await lookAt(candidate);
    if (found === "program") return;
    if (found === "no program") {
      refusal = Object.assign(new Error(`${candidate} may not be run`), { code: "EACCES" });
    }
  }
  throw refusal;
}

async function lookAt(file: string): Promise<"program" | "no program" | undefined> {
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

function missing(message: string): Error {
  return Object.assign(new Error(message), { code: "ENOENT" });
}
