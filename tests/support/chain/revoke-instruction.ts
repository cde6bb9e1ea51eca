import { TOKEN_PROGRAM } from "../../../lib/solana/programs";

/**
 * Builds the Revoke instruction, which removes the delegate. The service never sends it. Source: `TokenInstruction`,
 * tag 5.
 */
export const buildRevoke = ({ account, owner }: { account: string; owner: string }, programId = TOKEN_PROGRAM) => ({
  programId,
  accounts: [
    { pubkey: account, isSigner: false, isWritable: true },
    { pubkey: owner, isSigner: true, isWritable: false },
  ],
  data: Buffer.of(5).toString("base64"),
});
