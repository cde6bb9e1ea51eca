import { createRequire } from "node:module";

/* Pays 1,234,567 lamports with Anchor's old package, and 2,345,678 with its new one. */

const [rpcUrl, , secretKey, recipient] = process.argv.slice(2);
const require = createRequire(import.meta.url);

async function pay({ AnchorProvider, BN, Native, Wallet, web3 }, lamports) {
  const payer = web3.Keypair.fromSecretKey(Buffer.from(secretKey, "hex"));
  const connection = new web3.Connection(rpcUrl, "confirmed");
  const provider = new AnchorProvider(connection, new Wallet(payer), { commitment: "confirmed" });
  const accounts = { from: payer.publicKey, to: new web3.PublicKey(recipient) };
  const signature = await Native.system(provider).methods.transfer(new BN(lamports)).accounts(accounts).rpc();
  return { signature, amount: String(lamports) };
}

const payments = [
  await pay({ ...require("@coral-xyz/anchor"), BN: require("bn.js") }, 1_234_567),
  await pay({ ...require("@anchor-lang/core"), BN: require("bn.js") }, 2_345_678),
];
console.log(JSON.stringify(payments));
process.exit(0);
