/**
 * The command line of `toolweave` that makes a call, for a POSIX shell.
 *
 * @param json the arguments, as a JSON object.
 */
export function toCommand(tool: string, json: string): string {
  return `toolweave call ${quote(tool)} --args ${quote(json)}`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
