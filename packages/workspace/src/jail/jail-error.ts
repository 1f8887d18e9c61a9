import { ToolError } from "@toolweave/core";

/** Why a path cannot be used. */
export type JailFault =
  | "outside"
  | "missing"
  | "noFolder"
  | "isFolder"
  | "root"
  | "tooDeep"
  | "tooManyLinks"
  | "special"
  | "malformed"
  | "denied"
  | "readOnly"
  | "hardLink"
  | "changed"
  | "replaced"
  | "unreadable";

const texts: Readonly<Record<JailFault, string>> = {
  outside: "is outside of the workspace. Use a path inside it",
  missing: "does not exist",
  noFolder: "leads through something that is no folder",
  isFolder: "is a folder",
  root: "is the folder of the workspace itself",
  tooDeep: "is too long, or has too many folders around it",
  tooManyLinks: "leads through too many symbolic links",
  special:
    "is neither a file nor a folder: pipes, devices, sockets and files of the kernel are not opened",
  malformed: "has a NUL or half of a character (a lone surrogate), which no path can have",
  denied: "is denied by the rules of the workspace. Do not try it again",
  readOnly: "is in a folder that can only be read",
  hardLink:
    "has several hard links, so that a change would also change a file at another place. The rules of the workspace deny that",
  changed: "was replaced while it was opened. Try it again",
  replaced:
    "leads to another file or folder than when the call was permitted, since something was replaced meanwhile. Call the tool again",
  unreadable: "cannot be opened: the process has no permission for it",
};

const denials: ReadonlySet<JailFault> = new Set([
  "outside",
  "special",
  "denied",
  "readOnly",
  "hardLink",
  "root",
]);

/** A path that cannot be used. It names no path: the caller knows the one that it asked for. */
export class JailError extends Error {
  readonly fault: JailFault;

  constructor(fault: JailFault, options?: ErrorOptions) {
    super(texts[fault], options);
    this.name = "JailError";
    this.fault = fault;
  }

  /** The fault that an error of the system is. Errors that are no fault of the path are returned as they are. */
  static from(error: unknown): unknown {
    const code = (error as NodeJS.ErrnoException | undefined)?.code;
    const fault = code === undefined ? undefined : faults[code];
    return fault === undefined ? error : new JailError(fault, { cause: error });
  }

  /** The error of a tool: it names the path as the model gave it, and never one outside of the workspace. */
  toToolError(path: string): ToolError {
    const code = denials.has(this.fault) ? "permission_denied" : "execution_failed";
    return new ToolError(code, `"${path.slice(0, 300)}" ${this.message}.`);
  }
}

const faults: Readonly<Record<string, JailFault>> = {
  ENOENT: "missing",
  ENOTDIR: "noFolder",
  EISDIR: "isFolder",
  ELOOP: "changed",
  ENAMETOOLONG: "tooDeep",
  EACCES: "unreadable",
  EPERM: "unreadable",
  ENXIO: "special",
};
