import { Notice } from "@/app/_components/card";
import { C, Code, Points, Section } from "@/app/docs/_components/prose";
import { CHECK_SWAP, CHECK_WRAP } from "@/app/docs/_content/samples";

export function Verifying() {
  return (
    <>
      <p>
        A signature is a promise, so look at what you promise. A server could build something else than it says, by
        mistake or because somebody broke into it. Reading the bytes takes a few lines and trusts nobody.
      </p>
      <Section id="wrap" title="A round-up">
        <p>It is two plain transfers, signed by your wallet alone.</p>
        <Points>
          <li>The payer is your wallet, and nobody else signs.</li>
          <li>The first transfer goes to your own service wallet: investment and activation, to the lamport.</li>
          <li>
            The second is the fee, to a fee collector: at most the plan’s share of the round-up, and never more than 1
            %.
          </li>
          <li>
            Round-up, activation and network fee make <C>totalLamports</C>. A price of computing may stand in the
            transaction, within that network fee; nothing else may.
          </li>
          <li>
            <C>roundUpLamports</C> times a price you trust is the round-up you asked for.
          </li>
        </Points>
        <Code label="JavaScript, @solana/web3.js 1.x">{CHECK_WRAP}</Code>
      </Section>
      <Section id="swap" title="A swap">
        <p>
          A swap calls other programs, so its bytes say little. Its effect says everything: let a node that you choose
          play it through, and compare what the wallet has before and after.
        </p>
        <Code label="JavaScript, @solana/web3.js 1.x">{CHECK_SWAP}</Code>
        <Points>
          <li>
            <C>quote.minimumOutputAmount</C> is what you receive at least. Compare it with a price you trust.
          </li>
          <li>Check the other token accounts you hold in the same way, if there are any.</li>
        </Points>
      </Section>
      <Section id="withdrawal" title="A withdrawal">
        <p>
          It is signed by the service wallet alone, and everything goes to one destination. Compare <C>destination</C>{" "}
          with the address you gave, and simulate it as a swap: what leaves the service wallet must arrive there.
        </p>
      </Section>
      <Notice tone="warn" title="Do not compare byte for byte">
        <p>
          Wallets may add instructions of their own before they sign, for the network’s priority fee or as a safeguard.
          Check before you hand the transaction to the wallet.
        </p>
      </Notice>
    </>
  );
}
