/**
 * Emits a process warning, as Node.js prints warnings. On platforms without `process.emitWarning` it does nothing.
 *
 * @param code such as `TOOLWEAVE_SOURCES_FAILED`: hosts filter warnings by it.
 * @param detail what the host can change.
 */
export function emitProcessWarning(code: string, message: string, detail: string): void {
  globalThis.process?.emitWarning?.(message, { code, detail });
}
