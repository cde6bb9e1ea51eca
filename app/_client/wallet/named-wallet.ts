import {
  SolanaSignIn,
  type SolanaSignInFeature,
  SolanaSignMessage,
  type SolanaSignMessageFeature,
} from "@solana/wallet-standard-features";
import type { Wallet, WalletAccount } from "@wallet-standard/base";
import bs58 from "bs58";
import { WrongTextSignedError } from "@/lib/sdk/errors";
import { isValidSignature } from "@/lib/sdk/sign/texts";
import { listSignedMessages, SIGNATURE_FORMS } from "@/lib/solana/offchain-message";
import { DEMO_WALLET_NAME, isDemoWallet } from "./demo-wallet-constants";

/**
 * Chooses the name under which the page selects a wallet. Wallets choose their names themselves, so two can have one.
 * The second gets a number. The demo wallet's name belongs to the demo wallet.
 * @param takenNames the names of the wallets that registered before
 */
export function chooseName(wallet: Wallet, takenNames: readonly string[]): string {
  const isFree = (name: string) => !takenNames.includes(name) && (name === DEMO_WALLET_NAME) === isDemoWallet(wallet);
  for (let number = 1; ; number++) {
    const name = number === 1 ? wallet.name : `${wallet.name} (${number})`;
    if (isFree(name)) return name;
  }
}

/**
 * Returns a view of a wallet with another name, whose answers have the form that the wallet adapter relies on.
 * - `solana:signIn` may name the account by its address alone, or without features. The view returns the wallet's own
 *   account, or one with all features of the wallet.
 * - `solana:signMessage` may sign another text than asked, and says so. The view then throws WrongTextSignedError, unless
 *   that text is an off-chain message of version 0 or 1 that says the text.
 */
export function createNamedWallet<Original extends Wallet>(wallet: Original, name: string): Original {
  const view: Wallet = {
    name,
    version: wallet.version,
    get icon() {
      return wallet.icon;
    },
    get chains() {
      return wallet.chains;
    },
    get accounts() {
      return wallet.accounts;
    },
    get features() {
      return { ...wallet.features, ...repairSignIn(wallet), ...repairSignMessage(wallet) };
    },
  };
  return view as Original;
}

function repairSignIn(wallet: Wallet): Partial<SolanaSignInFeature> {
  const feature = (wallet.features as Partial<SolanaSignInFeature>)[SolanaSignIn];
  if (!feature) return {};
  return {
    [SolanaSignIn]: {
      version: feature.version,
      async signIn(...inputs) {
        const outputs = await feature.signIn(...inputs);
        return outputs.map((output) => ({ ...output, account: findAccount(wallet, output.account) }));
      },
    },
  };
}

/** Returns the account of the wallet that an answer names. Completes the answer's own one if the wallet lists none. */
function findAccount(wallet: Wallet, named: Pick<WalletAccount, "address"> & Partial<WalletAccount>): WalletAccount {
  const account = wallet.accounts.find(({ address }) => address === named.address);
  if (account) return account;
  return {
    ...named,
    publicKey: named.publicKey ?? bs58.decode(named.address),
    chains: named.chains ?? wallet.chains,
    // The burner wallet of wallet-adapter lists none.
    features: named.features?.length
      ? named.features
      : (Object.keys(wallet.features) as WalletAccount["features"][number][]),
  };
}

function repairSignMessage(wallet: Wallet): Partial<SolanaSignMessageFeature> {
  const feature = (wallet.features as Partial<SolanaSignMessageFeature>)[SolanaSignMessage];
  if (!feature) return {};
  return {
    [SolanaSignMessage]: {
      version: feature.version,
      async signMessage(...inputs) {
        const outputs = await feature.signMessage(...inputs);
        for (const [i, { signedMessage, signature }] of outputs.entries()) {
          const { account, message } = inputs[i]!;
          const publicKey = bs58.decode(account.address);
          const rightMessages = SIGNATURE_FORMS.flatMap((form) => listSignedMessages(form, message, publicKey));
          const isOther = signedMessage && !rightMessages.some((right) => right.join() === signedMessage.join());
          // A signature over a right message is fine, whatever the wallet says that it has signed.
          if (isOther && isValidSignature(signedMessage, signature, publicKey)) throw new WrongTextSignedError();
        }
        return outputs;
      },
    },
  };
}
