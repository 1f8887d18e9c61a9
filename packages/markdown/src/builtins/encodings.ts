import { createHash, createHmac } from "node:crypto";
import { StarlarkError } from "@toolweave/starlark";
import type { HostValue } from "@toolweave/starlark";
import type { BuiltinFunction } from "./builtin.ts";
import { optional, pureFunctions, required, type FunctionDefinition } from "./define.ts";

function toBytes(value: HostValue): Uint8Array {
  return value instanceof Uint8Array ? value : new TextEncoder().encode(value as string);
}

function digest(algorithm: string): FunctionDefinition {
  return {
    doc: `The ${algorithm.toUpperCase()} digest of a str or bytes, in hexadecimal digits.`,
    parameters: [required("data", "any")],
    returns: "str",
    call: ({ data }) => createHash(algorithm).update(checkedData(data)).digest("hex"),
  };
}

function checkedData(data: HostValue): Uint8Array {
  if (typeof data === "string" || data instanceof Uint8Array) return toBytes(data);
  throw new StarlarkError("execution_failed", "data is neither a str nor bytes");
}

const hash = pureFunctions("hash", {
  sha256: digest("sha256"),
  sha1: digest("sha1"),
  md5: digest("md5"),
});

const crypto = pureFunctions("crypto", {
  hmac_sha256: {
    doc: "The HMAC with SHA-256 of a str or bytes, in hexadecimal digits.",
    parameters: [required("key", "any"), required("data", "any")],
    returns: "str",
    call: ({ key, data }) =>
      createHmac("sha256", checkedData(key)).update(checkedData(data)).digest("hex"),
  },
});

const base64 = pureFunctions("base64", {
  encode: {
    doc: "A str or bytes in base64; url=True is the form for URLs, without padding.",
    parameters: [required("data", "any"), optional("url", "bool", false)],
    returns: "str",
    call: ({ data, url }) =>
      Buffer.from(checkedData(data)).toString(url === true ? "base64url" : "base64"),
  },
  decode: {
    doc: "The text that a base64 text of either form encodes; as_bytes=True returns bytes.",
    parameters: [required("text", "str"), optional("as_bytes", "bool", false)],
    returns: "any",
    call: ({ text, as_bytes: asBytes }) => {
      const compact = (text as string).replace(/\s/g, "");
      if (!/^[\w+/-]*={0,2}$/.test(compact) || compact.replace(/=+$/, "").length % 4 === 1)
        throw new StarlarkError("execution_failed", "base64.decode: the text is not base64");
      const bytes = new Uint8Array(Buffer.from(compact, "base64"));
      return asBytes === true ? bytes : new TextDecoder().decode(bytes);
    },
  },
});

const url = pureFunctions("url", {
  parse: {
    doc: "The parts of a URL: {scheme, host, port, path, query, fragment}; query is a dict of lists.",
    parameters: [required("text", "str")],
    returns: "dict",
    call: ({ text }) => {
      const parsed = URL.parse(text as string);
      if (parsed === null)
        throw new StarlarkError("execution_failed", "url.parse: the text is not a URL");
      const query: Record<string, string[]> = {};
      for (const [name, value] of parsed.searchParams) (query[name] ??= []).push(value);
      return {
        scheme: parsed.protocol.slice(0, -1),
        host: parsed.hostname,
        port: parsed.port === "" ? null : Number(parsed.port),
        path: parsed.pathname,
        query,
        fragment: parsed.hash.slice(1),
      };
    },
  },
  encode: {
    doc: "A text with every reserved character of a URL escaped.",
    parameters: [required("text", "str")],
    returns: "str",
    call: ({ text }) => encodeURIComponent(Buffer.from(text as string).toString()),
  },
  decode: {
    doc: "A text with the escapes of a URL replaced.",
    parameters: [required("text", "str")],
    returns: "str",
    call: ({ text }) => {
      try {
        return decodeURIComponent(text as string);
      } catch {
        throw new StarlarkError("execution_failed", "url.decode: the text has an invalid escape");
      }
    },
  },
  query: {
    doc: "A dict as the query of a URL; a list gives its name several times.",
    parameters: [required("values", "dict")],
    returns: "str",
    call: ({ values }) => {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(values as Readonly<Record<string, HostValue>>)) {
        const all = Array.isArray(value) ? (value as HostValue[]) : [value];
        for (const each of all) query.append(name, String(each));
      }
      return query.toString();
    },
  },
});

/** The functions that encode, decode and digest. */
export const encodings: readonly BuiltinFunction[] = [...hash, ...crypto, ...base64, ...url];
