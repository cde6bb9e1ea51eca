import { Notice } from "@/app/_components/card";
import { Highlighted } from "@/app/docs/_components/highlighted";
import { C, Points, Section } from "@/app/docs/_components/prose";
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
            Round-up, activation and network fee make <C>totalLamports</C>. A limit and a price of computing may stand
            beside the transfers, within that network fee, and the memo you asked for; nothing else may.
          </li>
          <li>
            <C>roundUpLamports</C> times a price you trust is the round-up you asked for.
          </li>
        </Points>
        <Highlighted label="JavaScript, @solana/web3.js 1.x">{CHECK_WRAP}</Highlighted>
      </Section>
      <Section id="swap" title="A swap">
        <p>
          Its bytes say what it may take and what it must bring. On mainnet-beta it is exactly one swap of Jupiter’s,
          <C>route_v2</C> or <C>shared_accounts_route_v2</C>, and what readies it:
        </p>
        <Points>
          <li>The service wallet is its transfer authority, and nobody else signs.</li>
          <li>
            It sells from the wallet’s own wrapped SOL into the wallet’s own account of the bought coin: just the amount
            shown, with the quoted output less slippage at least the minimum shown, and no fee to the venue.
          </li>
          <li>
            SOL goes into that wrapped SOL alone, only these accounts are opened, and what is closed returns to you.
          </li>
          <li>
            All of these accounts stand in the transaction itself. One that hides in a lookup table, another program or
            another instruction: do not sign.
          </li>
        </Points>
        <p>
          In the sandbox it is one transfer of SOL, at most the input, and one of the coin into your own account, at
          least the minimum. Our own pages and SDK look at all of this before they show a swap. What it does in the end,
          a node that you choose can tell: let it play the swap through, and compare what the wallet has before and
          after.
        </p>
        <Highlighted label="JavaScript, @solana/web3.js 1.x">{CHECK_SWAP}</Highlighted>
        <Points>
          <li>
            <C>quote.minimumOutputAmount</C> is what you receive at least. Compare it with a price you trust.
          </li>
          <li>Check the other token accounts you hold in the same way, if there are any.</li>
        </Points>
      </Section>
      <Sale />
      <Withdrawal />
      <Notice tone="warn" title="Do not compare byte for byte">
        <p>
          Wallets may add instructions of their own before they sign, for the network’s priority fee or as a safeguard.
          Check before you hand the transaction to the wallet.
        </p>
      </Notice>
    </>
  );
}

function Sale() {
  return (
    <Section id="sale" title="A sale">
      <p>It is a swap the other way round, and is read by the same rules, told by what goes in and what comes out:</p>
      <Points>
        <li>No transfer of SOL at all: only the network fee and the deposit that was shown leave.</li>
        <li>It sells from the wallet’s own account of the asset, just the amount shown, for the minimum shown.</li>
        <li>
          Into SOL, its last instruction unwraps the wallet’s own wrapped SOL into the wallet. Into USDC, it may open
          the wallet’s own USDC account.
        </li>
      </Points>
    </Section>
  );
}

function Withdrawal() {
  return (
    <Section id="withdrawal" title="A withdrawal">
      <p>
        It is signed by the service wallet alone, and everything goes to one destination. Compare <C>destination</C>{" "}
        with the address you gave, and simulate it as a swap: what leaves the service wallet must arrive there.
      </p>
    </Section>
  );
}
