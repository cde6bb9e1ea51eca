export interface WalletFailure {
  title: string;
  message: string;
  /** Declined or not signed: the page shows no warning. */
  isRefused: boolean;
  /** The wallet's own words, as plain text. */
  reason: string | null;
}

type Explanation = Omit<WalletFailure, "reason">;

/** Explains an error, and repeats the wallet's own words. */
export const explainWalletError = (error: unknown, kind: "signature" | "connection" = "signature"): WalletFailure => ({
  ...findExplanation(error, kind),
  reason: readReason(error),
});

/** Matches names where it can, because messages are not stable. */
function findExplanation(error: unknown, kind: "signature" | "connection"): Explanation {
  const { name = "", message = "" } = error instanceof Error ? error : {};
  // Compare the name: importing the class would bundle web3.js into the page.
  if (name === "NotAsShown") return createFailure("The wallet changed the transaction", message);
  if (isRefusal(error, message)) return kind === "connection" ? REFUSED_CONNECTION : REFUSED;
  if (/\block/i.test(message)) return LOCKED;
  if (name === "WalletSignMessageError" || name === "WalletSignTransactionError") {
    return message === "" ? REFUSED : NOT_SIGNED;
  }
  return (
    FAILURES[name] ??
    createFailure("The wallet could not do that", "Unlock it and try again; if it stays this way, try another wallet.")
  );
}

/** Characters. */
const MAX_REASON_LENGTH = 200;

/** The adapter's error carries the wallet's own. This page's errors have none. */
function readReason(error: unknown): string | null {
  const cause = error instanceof Error && "error" in error ? error.error : null;
  const message = typeof cause === "object" && cause !== null && "message" in cause ? cause.message : cause;
  if (typeof message !== "string") return null;
  // Invisible characters could reverse or hide the page's own words.
  const words = Array.from(message.replace(/[\p{C}\p{Z}]+/gu, " ").trim());
  if (words.length === 0) return null;
  return words.length <= MAX_REASON_LENGTH ? words.join("") : `${words.slice(0, MAX_REASON_LENGTH).join("")}…`;
}

/** Wallets report that as code 4001, or only in the message. */
function isRefusal(error: unknown, message: string): boolean {
  const cause = error instanceof Error && "error" in error ? error.error : error;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : null;
  return code === 4001 || /reject|denied|declin|cancel|refus/i.test(message);
}

const NO_EFFECT_TEXT = "Nothing happened and nothing was charged.";

const REFUSED = {
  title: "You declined the signature",
  message: `${NO_EFFECT_TEXT} You can ask for it again.`,
  isRefused: true,
};

const NOT_SIGNED = {
  title: "The wallet did not sign",
  message: `${NO_EFFECT_TEXT} Try again, or try another wallet.`,
  isRefused: true,
};

const REFUSED_CONNECTION = {
  title: "You declined the connection",
  message: "Without it this page cannot know which wallet is yours. Choose a wallet again when you are ready.",
  isRefused: true,
};

const createFailure = (title: string, message: string): Explanation => ({ title, message, isRefused: false });

const LOCKED = createFailure(
  "The wallet is locked or disconnected",
  "Unlock it, connect again, and go on where you were.",
);

const NOT_CONNECTED = createFailure(
  "The wallet did not connect",
  "It may be locked, or its window was closed. Unlock it and try again.",
);

/** By the name of the adapter's error. */
const FAILURES: Record<string, Explanation> = {
  WalletNotReadyError: createFailure("The wallet is not ready", "Open or install it, then try again."),
  WalletConnectionError: NOT_CONNECTED,
  WalletWindowClosedError: NOT_CONNECTED,
  WalletAccountError: createFailure(
    "The wallet showed no account",
    "It may be locked, or this page may no longer see its accounts. Unlock it, choose it again, and allow one account.",
  ),
  WrongAccountError: createFailure(
    "The wallet signed with another account",
    "Choose the account in your wallet that you want to use here, then connect again.",
  ),
  WrongTextSignedError: createFailure(
    "The wallet signed another text",
    "Old apps of hardware wallets do that. The signature does not count here. Nothing happened and nothing was charged. Update the Solana app on your device, or choose another account.",
  ),
  WalletDisconnectedError: LOCKED,
  WalletNotConnectedError: LOCKED,
  WalletTimeoutError: createFailure("The wallet did not answer", "Look for its window, or try again."),
};
