import type { Json } from "../../../ports/json";

/**
 * Sentences for the errors that users see most. All other errors are named by the runtime's own identifier.
 * A Map, because a plain object would also find inherited names such as `constructor`.
 */
const ERROR_SENTENCES = new Map(
  Object.entries({
    AccountNotFound: "the paying wallet holds no SOL.",
    InsufficientFundsForFee: "the paying wallet cannot pay the network fee.",
    InsufficientFundsForRent: "a wallet would be left under the rent-exempt minimum.",
    BlockhashNotFound: "its blockhash is not known or has expired.",
  }),
);

/** Describes a runtime error (the chain's JSON) in one sentence of bounded length that callers may see. */
export function describeRuntimeError(error: Json): string {
  if (typeof error === "string") return ERROR_SENTENCES.get(error) ?? `${sanitizeName(error)}.`;
  if (error === null || typeof error !== "object" || Array.isArray(error)) return "unknown error.";
  const [errorName = "", detail] = Object.entries(error)[0] ?? [];
  if (errorName !== "InstructionError" || !Array.isArray(detail))
    return ERROR_SENTENCES.get(errorName) ?? `${sanitizeName(errorName)}.`;
  const [index, cause] = detail;
  return `${typeof index === "number" ? `instruction ${index}` : "an instruction"}: ${describeCause(cause)}.`;
}

function describeCause(cause: Json | undefined): string {
  if (typeof cause === "string") return sanitizeName(cause);
  if (cause === null || typeof cause !== "object" || Array.isArray(cause)) return "unknown error";
  // Custom error 1 means "insufficient funds" in the System and the Token program, which cause most failures.
  if (cause.Custom === 1) return "insufficient funds";
  return typeof cause.Custom === "number"
    ? `custom program error ${cause.Custom}`
    : sanitizeName(Object.keys(cause)[0] ?? "");
}

/** Reduces an error name to letters and digits, at most 60, so that upstream text is never forwarded. */
function sanitizeName(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, "").slice(0, 60) || "unknown error";
}
