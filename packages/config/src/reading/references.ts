import { basename, sep } from "node:path";
import { homedir } from "node:os";

/** The variables that references may name. */
export interface Referable {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `${workspaceFolder}`. */
  readonly folder: string;
  /** The inputs that VS Code would ask for, by id. */
  readonly inputs: ReadonlyMap<string, ConfigInput>;
}

/** An input that VS Code would ask a person for. */
export interface ConfigInput {
  readonly id: string;
  readonly default?: string;
  readonly password?: boolean;
}

/** A text with the values of what it refers to. */
export interface Resolved {
  readonly text: string;
  /** The environment variables that it names, set or not. */
  readonly variables: readonly string[];
  /** The values in it that came from the environment, with their names. */
  readonly taken: readonly { readonly name: string; readonly value: string }[];
  /** Invalid references: one sentence each. */
  readonly faults: readonly string[];
  /** References to variables that are not set: one sentence each, with the remedy. */
  readonly unset: readonly string[];
}

/**
 * Replaces references by values: `${NAME}` and `${env:NAME}`, an environment variable, which has to be set;
 * `${NAME:-text}`, the text where it is not set or empty; `${input:id}`, the variable that is named like the input,
 * else the input's default; `${workspaceFolder}`, `${workspaceFolderBasename}`, `${userHome}`, `${pathSeparator}` and
 * `${/}`. `$${` stands for `${`. Inserted values are not expanded again.
 */
export function resolveReferences(text: string, given: Referable): Resolved {
  const taken: { name: string; value: string }[] = [];
  const faults: string[] = [];
  const unset: string[] = [];
  const variables = new Set<string>();
  const fromEnvironment = (name: string, value: string): string => {
    taken.push({ name, value });
    return value;
  };
  const resolved = text.replace(/\$(\$\{)|\$\{([^}]*)\}?/g, (written, literal, body) => {
    if (literal !== undefined) return literal as string;
    const [, scope, name = "", separator, fallback = ""] =
      /^(?:(env|input):)?([\w.-]+)(:-)?(.*)$/s.exec(body as string) ?? [];
    const isEntireText = written.endsWith("}") && (separator !== undefined || fallback === "");
    if (scope === "input" && isEntireText) {
      const input = given.inputs.get(name);
      const variable = toVariableName(name);
      variables.add(variable);
      const value = own(given.env, variable);
      if (value !== undefined) return fromEnvironment(variable, value);
      if (input?.default !== undefined && input.default !== "" && input.password !== true) {
        return input.default;
      }
      unset.push(
        `"${name}" is something that VS Code asks a person for: set the environment variable ${variable}`,
      );
      return written;
    }
    const place =
      scope === undefined && separator === undefined ? own(places, body as string) : undefined;
    if (place !== undefined) return place(given.folder);
    if (!isEntireText || !/^[A-Za-z_]\w*$/.test(name)) {
      faults.push(
        `${formatReference(written)} is no reference: write \${NAME}, \${env:NAME} or \${NAME:-text}, or $\${ for the characters`,
      );
      return written;
    }
    variables.add(name);
    const value = own(given.env, name);
    if (value !== undefined && (value !== "" || separator === undefined)) {
      return fromEnvironment(name, value);
    }
    if (separator !== undefined) return fallback;
    unset.push(
      `the environment variable ${name} is not set: set it, or write \${${name}:-text} with a text for when it is not`,
    );
    return written;
  });
  return { text: resolved, variables: [...variables], taken, faults, unset };
}

const places: Readonly<Record<string, (folder: string) => string>> = {
  workspaceFolder: (folder) => folder,
  workspaceFolderBasename: (folder) => basename(folder),
  userHome: () => homedir(),
  pathSeparator: () => sep,
  "/": () => sep,
};

/** Every object inherits a `constructor`, which is not a variable. */
function own<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** `perplexity-key` → `PERPLEXITY_KEY`. */
function toVariableName(input: string): string {
  return input
    .replace(/\W/g, "_")
    .replace(/^(?=\d)/, "_")
    .toUpperCase();
}

function formatReference(written: string): string {
  return JSON.stringify(written.slice(0, 60));
}
