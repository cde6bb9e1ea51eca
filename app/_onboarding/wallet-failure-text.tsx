import type { WalletFailure } from "@/app/_client/wallet/wallet-errors";

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
