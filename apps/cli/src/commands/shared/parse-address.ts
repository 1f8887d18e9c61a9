import { UsageError } from "../../process/exit-code.ts";

/**
 * Parses a port, or `host:port`. Default host: `127.0.0.1`.
 *
 * @param name the option, for errors.
 * @throws UsageError
 */
export function parseAddress(
  name: string,
  written: string,
): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits] =
    /^(?:(?:\[([^\]]+)\]|([^:\s]+)):)?(\d{1,5})$/.exec(written) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new UsageError(`${name} must be a port, or host:port, such as 127.0.0.1:8137.`);
  }
  return { host: bracketed ?? plain ?? "127.0.0.1", port };
}

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/.test(host);
}
