import { transferSol } from "@metaplex-foundation/mpl-toolbox";
import { keypairIdentity, lamports, publicKey } from "@metaplex-foundation/umi";
import { base58 } from "@metaplex-foundation/umi/serializers";
import { createUmi } from "@metaplex-foundation/umi-bundle-defaults";

/* Pays 1,234,567 lamports with Metaplex umi. */

const [rpcUrl, , secretKey, recipient] = process.argv.slice(2);
const umi = createUmi(rpcUrl);
umi.use(keypairIdentity(umi.eddsa.createKeypairFromSecretKey(Buffer.from(secretKey, "hex"))));
const transfer = transferSol(umi, { destination: publicKey(recipient), amount: lamports(1_234_567) });
const { signature, result } = await transfer.sendAndConfirm(umi, { confirm: { commitment: "confirmed" } });
if (result.value.err) throw new Error(JSON.stringify(result.value.err));
console.log(JSON.stringify([{ signature: base58.deserialize(signature)[0], amount: "1234567" }]));
process.exit(0);
