import type { Json } from "../../../ports/json";

/**
 * Sentences for what users meet; anything else is named by the runtime's own word. A map, so that names every object has,
 * like `constructor`, are not found in it.
 */
const SENTENCES = new Map(
  Object.entries({
    AccountNotFound: "the paying wallet holds no SOL.",
    InsufficientFundsForFee: "the paying wallet cannot pay the network fee.",
    InsufficientFundsForRent: "a wallet would be left under the rent-exempt minimum.",
    BlockhashNotFound: "its blockhash is not known or has expired.",
  }),
);

/** One bounded sentence about a runtime error (the chain's JSON), safe to answer. */
export function describeRuntimeError(error: Json): string {
  if (typeof error === "string") return SENTENCES.get(error) ?? `${word(error)}.`;
  if (error === null || typeof error !== "object" || Array.isArray(error)) return "unknown error.";
  const [kind = "", detail] = Object.entries(error)[0] ?? [];
  if (kind !== "InstructionError" || !Array.isArray(detail)) return SENTENCES.get(kind) ?? `${word(kind)}.`;
  const [index, cause] = detail;
  return `${typeof index === "number" ? `instruction ${index}` : "an instruction"}: ${describeCause(cause)}.`;
}

function describeCause(cause: Json | undefined): string {
  if (typeof cause === "string") return word(cause);
  if (cause === null || typeof cause !== "object" || Array.isArray(cause)) return "unknown error";
  // 1 is "insufficient funds" in both the System and the Token program, where most failures come from.
  if (cause.Custom === 1) return "insufficient funds";
  return typeof cause.Custom === "number" ? `custom program error ${cause.Custom}` : word(Object.keys(cause)[0] ?? "");
}

/** The runtime's error as a single word, whatever it says. */
function word(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, "").slice(0, 60) || "unknown error";
}
