import { SystemInstruction, SystemProgram, TransactionMessage, VersionedTransaction } from "@solana/web3.js";

/** Throws unless the transaction does what its breakdown says, and nothing else. */
export function checkWrap({ transaction, breakdown }, wallet, serviceWallet) {
  const refuse = (why) => {
    throw new Error(`Do not sign: ${why}`);
  };
  const { message } = VersionedTransaction.deserialize(Buffer.from(transaction.base64, "base64"));
  if (message.addressTableLookups.length > 0) refuse("accounts stand outside of the transaction");
  if (message.header.numRequiredSignatures !== 1) refuse("somebody else signs too");

  const { payerKey, instructions } = TransactionMessage.decompile(message);
  if (payerKey.toBase58() !== wallet) refuse("another wallet pays");
  if (instructions.length !== 2) refuse("there are more instructions than two transfers");
  const [saved, fee] = instructions.map((instruction) =>
    instruction.programId.equals(SystemProgram.programId)
      ? SystemInstruction.decodeTransfer(instruction)
      : refuse("an instruction is not a transfer"),
  );
  const { userInvestmentLamports, activationLamports, serviceFeeLamports, roundUpLamports } = breakdown;
  if (saved.toPubkey.toBase58() !== serviceWallet) refuse("the savings go to another wallet");
  if (saved.lamports !== BigInt(userInvestmentLamports + activationLamports)) refuse("the savings differ");
  if (fee.lamports !== BigInt(serviceFeeLamports)) refuse("the fee differs");
  if (serviceFeeLamports > roundUpLamports / 100) refuse("the fee is above 1 % of the round-up");
}
