import { createHash } from "node:crypto";

/** The kinds of parts of a configuration. */
export type ConfigPartKind =
  /** A program that is started: the MCP server `name`. */
  | "program"
  /** An address that is used. */
  | "url"
  /** An environment variable that is read. */
  | "variable"
  /** A package whose code is imported or run. */
  | "package"
  /** A module of `tools`, or a file of the folder that a program is started with: its content decides what runs. */
  | "module"
  /** A file with an agent's prompt. */
  | "prompt"
  /** A file with environment variables for a program. */
  | "envFile"
  /** An OpenAPI document that is read from a file. */
  | "document"
  /** The policy, which decides whether a call runs without a question. */
  | "policy"
  /** The folder whose files tools read and write, and in which commands run. */
  | "workspace"
  /** The folder with markdown files whose scripts are tools and hooks. Each effect of a script is for the policy to decide. */
  | "markdown"
  /** A group of built-in tools, such as a browser. */
  | "builtin"
  /** The folder or the database with pending calls, grants and tokens. */
  | "store"
  /** A tool or a hook whose script is in the configuration. */
  | "script"
  /** A value that none of the other parts has: `mcp.notes.headers`. */
  | "setting"
  /** The configuration itself. */
  | "file";

/** One thing that a configuration starts, reaches, reads or imports. */
export interface ConfigPart {
  readonly kind: ConfigPartKind;
  /** Its name: a source, a variable, a path relative to the configuration. Unique within its kind. */
  readonly name: string;
  /** For a person, as it is written: no reference is expanded. May hold what the author of the file chose. */
  readonly text: string;
  /** SHA-256 in hexadecimal: of a file's content, else of everything that is written about it. */
  readonly digest: string;
}

/** SHA-256 in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
