/** A wallet's error, explained to the person. */
export interface WalletFailure {
  title: string;
  message: string;
  /** True when the person declined or the wallet did not sign. The page then shows no warning. */
  isRefused: boolean;
}

/** Explains a wallet's error. Matches on the adapter's error names where it can, because messages are not stable. */
export function explainWalletError(error: unknown, kind: "signature" | "connection" = "signature"): WalletFailure {
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

/** Returns whether the person declined. Wallets report that as code 4001, or only in the message. */
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

const createFailure = (title: string, message: string): WalletFailure => ({ title, message, isRefused: false });

const LOCKED = createFailure(
  "The wallet is locked or disconnected",
  "Unlock it, connect again, and go on where you were.",
);

const NOT_CONNECTED = createFailure(
  "The wallet did not connect",
  "It may be locked, or its window was closed. Unlock it and try again.",
);

/** Failures by the name of the adapter's error. */
const FAILURES: Record<string, WalletFailure> = {
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
  WalletDisconnectedError: LOCKED,
  WalletNotConnectedError: LOCKED,
  WalletTimeoutError: createFailure("The wallet did not answer", "Look for its window, or try again."),
};
