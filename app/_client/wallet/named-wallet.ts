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

/** Two wallets can choose one name: the second gets a number. The demo wallet's name belongs to it alone. */
export function chooseName(wallet: Wallet, takenNames: readonly string[]): string {
  const isFree = (name: string) => !takenNames.includes(name) && (name === DEMO_WALLET_NAME) === isDemoWallet(wallet);
  for (let number = 1; ; number++) {
    const name = number === 1 ? wallet.name : `${wallet.name} (${number})`;
    if (isFree(name)) return name;
  }
}

/**
 * Returns a view of a wallet with another name, whose answers suit the wallet adapter. A `solana:signIn` may name the
 * account by its address alone. A `solana:signMessage` that says that it signed another text throws
 * WrongTextSignedError, unless that is an off-chain message of version 0 or 1 that says the text.
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

/** Completes the answer's own account if the wallet lists none. */
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
