/** Returns why this Node cannot run the command; undefined: it can. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return undefined;
  return `toolweave needs Node.js 22.19 or newer, but this is ${version}: install a newer version.`;
}
