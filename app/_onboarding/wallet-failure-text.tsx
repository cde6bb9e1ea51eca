import type { WalletFailure } from "@/app/_client/wallet/wallet-errors";

/** Says why a wallet failed, and repeats the wallet's own words as plain text. */
export function WalletFailureText({ failure: { message, reason } }: { failure: WalletFailure }) {
  return (
    <>
      <p>{message}</p>
      {reason !== null && (
        <p className="break-words" data-testid="wallet-reason">
          Your wallet says: “<bdi>{reason}</bdi>”
        </p>
      )}
    </>
  );
}
