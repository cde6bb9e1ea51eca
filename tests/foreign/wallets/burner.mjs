import { UnsafeBurnerWalletAdapter } from "@solana/wallet-adapter-unsafe-burner";
import { SolanaWalletAdapterWallet } from "@solana/wallet-standard-wallet-adapter-base";
import { registerWallet } from "@wallet-standard/wallet";

/* Registers the burner wallet of wallet-adapter. Anza's wrapper leaves out its Sign In With Solana. */

const adapter = new UnsafeBurnerWalletAdapter();
const wallet = new SolanaWalletAdapterWallet(adapter, "solana:localnet", "http://127.0.0.1:8899");
registerWallet({
  version: wallet.version,
  name: wallet.name,
  icon: wallet.icon,
  chains: wallet.chains,
  get accounts() {
    return wallet.accounts;
  },
  features: {
    ...wallet.features,
    "solana:signIn": { version: "1.0.0", signIn: async (input) => [await adapter.signIn(input)] },
  },
});
