import {
  ComputeBudgetProgram,
  SystemInstruction,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";

const refuse = (why) => {
  throw new Error(`Do not sign: ${why}`);
};

const MEMO_PROGRAM = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";

/**
 * Throws unless the transaction does what its breakdown says, and nothing else.
 * @param through the member `through` that you sent to POST /api/wrap/batch, if any
 */
export function checkWrap({ transaction, breakdown }, wallet, serviceWallet, through = "") {
  const { message } = VersionedTransaction.deserialize(Buffer.from(transaction.base64, "base64"));
  if (message.addressTableLookups.length > 0) refuse("accounts stand outside of the transaction");
  if (message.header.numRequiredSignatures !== 1) refuse("somebody else signs too");

  const { payerKey, instructions } = TransactionMessage.decompile(message);
  if (payerKey.toBase58() !== wallet) refuse("another wallet pays");
  const isBudget = ({ programId }) => programId.equals(ComputeBudgetProgram.programId);
  const { networkFeeLamports, totalLamports } = breakdown;
  if (computeNetworkFee(instructions.filter(isBudget)) > BigInt(networkFeeLamports))
    refuse("the network fee is higher");

  const isMemo = ({ programId }) => programId.toBase58() === MEMO_PROGRAM;
  const memos = instructions.filter(isMemo);
  if (memos.length !== (through ? 1 : 0)) refuse("there is another memo than the one you asked for");
  for (const { keys, data } of memos) {
    const isSignedByWallet = keys.length === 1 && keys[0].pubkey.toBase58() === wallet;
    if (!isSignedByWallet || data.toString() !== `roundup:1:through:${through}`)
      refuse("the memo is not what you asked for");
  }
  const transfers = instructions.filter((instruction) => !isBudget(instruction) && !isMemo(instruction));
  if (transfers.length !== 2) refuse("there is more or less than two transfers");
  const [saving, fee] = transfers.map((instruction) =>
    instruction.programId.equals(SystemProgram.programId)
      ? SystemInstruction.decodeTransfer(instruction)
      : refuse("an instruction is not a transfer"),
  );
  const { userInvestmentLamports, activationLamports, serviceFeeLamports, roundUpLamports } = breakdown;
  if (saving.toPubkey.toBase58() !== serviceWallet) refuse("the savings go to another wallet");
  if (saving.lamports !== BigInt(userInvestmentLamports + activationLamports)) refuse("the savings differ");
  if (fee.lamports !== BigInt(serviceFeeLamports)) refuse("the fee differs");
  if (userInvestmentLamports + serviceFeeLamports !== roundUpLamports) refuse("the parts do not add up");
  if (roundUpLamports + activationLamports + networkFeeLamports !== totalLamports) refuse("the total differs");
  if (serviceFeeLamports * 100 > roundUpLamports * Math.min(breakdown.serviceFeePercent, 1)) {
    refuse("the fee is above the plan's share, or above 1 % of the round-up");
  }
}

/**
 * Returns the highest possible network fee, lamports: 5,000 for the signature, and the compute unit limit times the
 * price in millionths of a lamport.
 */
function computeNetworkFee(budgetInstructions) {
  let [units, price] = [1_400_000n, 0n];
  for (const { data } of budgetInstructions) {
    if (data[0] === 2) units = BigInt(data.readUInt32LE(1));
    else if (data[0] === 3) price = data.readBigUInt64LE(1);
    else refuse("an instruction is not a transfer");
  }
  return 5000n + (units * price + 999_999n) / 1_000_000n;
}
