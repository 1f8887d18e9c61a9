import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/**
 * The path of the program that a command starts; undefined: there is none on `PATH`.
 *
 * @param folder to which a command with a slash is relative.
 */
export function findProgram(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  folder = "",
): string | undefined {
  const isWindows = process.platform === "win32";
  const endings = isWindows ? ["", ...(env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";")] : [""];
  const isPath = isAbsolute(command) || /[/\\]/.test(command);
  const path = env["PATH"] ?? env["Path"] ?? "";
  const folders = isPath ? [folder] : path.split(delimiter).filter((each) => each !== "");
  return folders
    .flatMap((each) => endings.map((ending) => (isPath ? resolve : join)(each, command + ending)))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
