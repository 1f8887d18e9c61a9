const optionNames: Readonly<Record<string, string>> = {
  "`auth`": "--auth",
  "`headers`": "--header",
  "`baseUrl`": "--base-url",
  "`allowOrigins`": "--allow-origin",
  "`credentialOrigins`": "--allow-origin",
  "`allowReferences`": "--allow-reference",
};

/**
 * Names options as they are written here: the libraries' messages advise `baseUrl`, `auth`, `allowOrigins` and
 * `allowReferences`, and the command line has `--base-url`, `--auth`, `--allow-origin` and `--allow-reference`. Only
 * advice is changed: the text of a server or a document may use the same words.
 */
export function useOptionNames(message: string): string {
  return message
    .replace(/\b(?:pass|set|configure|check) (?:them as )?`(?:auth|baseUrl)`[^.;]*/gi, (advice) =>
      advice.replace(/`\w+`/g, (name) => optionNames[name] ?? name),
    )
    .replace(
      /\bwrite prefix\(source, "[^"]*"\) for one of the sources/g,
      "give one --openapi at a time",
    )
    .replace(/\bbaseUrl or (?=credentialOrigins: \[")/g, "--base-url or ")
    .replace(/\b(?:allowOrigins|credentialOrigins): \["([^"\s]+)"\]/g, "--allow-origin $1")
    .replace(
      /`allowReferences` with its folder opens it/g,
      "--allow-reference with its folder opens it",
    )
    .replace(/`allowReferences: \["([^"\s]+)"\]` opens it/g, "--allow-reference $1 opens it")
    .replace(/^auth\.schemes has (?="[^"]*", which is not a security scheme)/, "--auth names ");
}
