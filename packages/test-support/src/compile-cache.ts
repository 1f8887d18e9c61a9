const folder = process.env["NODE_COMPILE_CACHE"];

/**
 * The environment for programs that are started often: Node keeps what it has compiled, so that every start after the
 * first takes half of the time. Servers of `mcpSource` inherit few variables, so they are given this one.
 */
export const compileCache: Readonly<Record<string, string>> =
  folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
