import type { BuiltinFunction } from "./builtin.ts";
import { optional, pureFunctions, required } from "./define.ts";

/** The answers of a hook: `allow()`, `block(reason)` or `modify(payload)`, each a dict. */
export const decisions: readonly BuiltinFunction[] = pureFunctions(undefined, {
  allow: {
    doc: "The decision that a call continues as it is.",
    returns: "dict",
    kinds: ["hook"],
    call: () => ({ action: "allow" }),
  },
  block: {
    doc: "The decision that a call does not run, or that its result is withheld; the model reads the reason.",
    parameters: [optional("reason", "str", "")],
    returns: "dict",
    kinds: ["hook"],
    call: ({ reason }) => ({ action: "block", reason }),
  },
  modify: {
    doc: "The decision that a call continues with other arguments, or a result with another content.",
    parameters: [required("payload", "dict")],
    returns: "dict",
    kinds: ["hook"],
    call: ({ payload }) => ({ action: "modify", payload }),
  },
});

/** `validate`: checks of values, for arguments that a schema cannot describe. */
export const checks: readonly BuiltinFunction[] = pureFunctions("validate", {
  email: {
    doc: "Whether a text has the form of an address of e-mail.",
    parameters: [required("text", "str")],
    returns: "bool",
    call: ({ text }) => {
      const parts = (text as string).split("@");
      const [local = "", domain = ""] = parts;
      return (
        parts.length === 2 && /^[^\s"(),:;<>@[\\\]]{1,64}$/.test(local) && isHostname(domain, true)
      );
    },
  },
  url: {
    doc: "Whether a text is a URL with http or https.",
    parameters: [required("text", "str")],
    returns: "bool",
    call: ({ text }) => ["http:", "https:"].includes(URL.parse(text as string)?.protocol ?? ""),
  },
  hostname: {
    doc: "Whether a text is the name of a host.",
    parameters: [required("text", "str")],
    returns: "bool",
    call: ({ text }) => isHostname(text as string, false),
  },
});

function isHostname(text: string, needsDot: boolean): boolean {
  const labels = text.split(".");
  return (
    text.length <= 253 &&
    (!needsDot || labels.length > 1) &&
    labels.every((label) => /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i.test(label))
  );
}
