import type { Json } from "../ports";

/** Sentences for what users meet; anything else is named by the runtime's own word. */
const SENTENCES: Record<string, string> = {
  AccountNotFound: "the paying wallet holds no SOL.",
  InsufficientFundsForFee: "the paying wallet cannot pay the network fee.",
  InsufficientFundsForRent: "a wallet would be left under the rent-exempt minimum.",
  BlockhashNotFound: "its blockhash is not known or has expired.",
};

/** One bounded sentence about a runtime error (the chain's JSON), safe to answer. */
export function describeRuntimeError(error: Json): string {
  if (typeof error === "string") return SENTENCES[error] ?? `${word(error)}.`;
  if (error === null || typeof error !== "object" || Array.isArray(error)) return "unknown error.";
  const [kind = "", detail] = Object.entries(error)[0] ?? [];
  if (kind !== "InstructionError" || !Array.isArray(detail)) return SENTENCES[kind] ?? `${word(kind)}.`;
  const [index, cause] = detail;
  // 1 is "insufficient funds" in both the System and the Token program, where most failures come from.
  const custom = cause !== null && typeof cause === "object" && !Array.isArray(cause) ? cause.Custom : undefined;
  if (custom === 1) return `instruction ${Number(index)}: insufficient funds.`;
  return `instruction ${Number(index)}: ${custom === undefined ? word(String(cause)) : `custom program error ${Number(custom)}`}.`;
}

/** The runtime's error as a single word, whatever it says. */
function word(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, "").slice(0, 60) || "unknown error";
}
