import { WalletConnectionError, WalletSignMessageError, WalletSignTransactionError } from "@solana/wallet-adapter-base";
import { describe, expect, test } from "vitest";
import { explainWalletError } from "@/app/_client/wallet/wallet-errors";

/** As the wallet adapter wraps what a wallet threw. */
const wrap = (thrown: unknown) => new WalletSignMessageError((thrown as Error | undefined)?.message, thrown);

describe("the wallet's own reason", () => {
  test.each<[string, unknown, string | null]>([
    ["an error", new Error("Blind signing is off."), "Blind signing is off."],
    [
      "an object with a code",
      { code: 4001, message: "Ledger accounts cannot sign texts" },
      "Ledger accounts cannot sign texts",
    ],
    ["a text", "Not now", "Not now"],
    ["markup", new Error("<b>Pay</b> me"), "<b>Pay</b> me"],
    ["invisible characters", new Error("a\u202Eb\u200B\n\u0000  c"), "a b c"],
    ["a long text", new Error("x".repeat(500)), `${"x".repeat(200)}…`],
    ["no message", new Error(), null],
    ["blanks", new Error(" \u2028 "), null],
    ["an object as message", { message: { toString: () => "no" } }, null],
    ["nothing", undefined, null],
  ])("is shown as plain text for %s", (_, thrown, reason) => {
    expect(explainWalletError(wrap(thrown)).reason).toBe(reason);
  });

  test("is shown for connections and transactions too, and never made up from the page's own errors", () => {
    const cause = new Error("The device is busy.");
    for (const error of [new WalletConnectionError("", cause), new WalletSignTransactionError("", cause)])
      expect(explainWalletError(error).reason).toBe(cause.message);
    expect(explainWalletError(new Error("This wallet cannot sign messages.")).reason).toBeNull();
  });
});
