import { Notice } from "@/app/_components/card";
import { HighlightedCode } from "@/app/docs/_components/highlighted-code";
import { BulletList, Li, P, Section } from "@/app/docs/_components/prose";
import { CHECK_SWAP, CHECK_WRAP } from "@/app/docs/_content/samples";

export default function VerifyingGuide() {
  return (
    <>
      <P>
        Check each transaction before you sign it. A faulty or compromised server could build a different transaction
        than it shows. These checks read the bytes and do not trust the server.
      </P>
      <Section id="wrap" title="A round-up">
        <P>A round-up is two plain transfers. Only your wallet signs it.</P>
        <BulletList>
          <Li>Your wallet is the fee payer and the only signer.</Li>
          <Li>The first transfer pays exactly the investment and the activation into your own service wallet.</Li>
          <Li>
            The second transfer pays the fee to a fee collector. It is at most the plan’s share of the round-up, and
            never more than 1 %.
          </Li>
          <Li>
            Round-up, activation and network fee add up to `totalLamports`. The transaction may also contain a
            compute-unit limit and price within that network fee, and the memo that you requested. It contains nothing
            else.
          </Li>
          <Li>`roundUpLamports` times a price that you trust equals the round-up that you requested.</Li>
        </BulletList>
        <HighlightedCode label="JavaScript, @solana/web3.js 1.x">{CHECK_WRAP}</HighlightedCode>
      </Section>
      <Section id="swap" title="A swap">
        <P>
          The bytes state the most that a swap takes and the least that it returns. On mainnet-beta a swap is one
          Jupiter instruction, `route_v2` or `shared_accounts_route_v2`, with the instructions that prepare it. Make
          these checks:
        </P>
        <BulletList>
          <Li>The service wallet is the transfer authority and the only signer.</Li>
          <Li>
            The swap sells exactly the amount shown, from the wallet’s own wrapped SOL into the wallet’s own account of
            the bought coin. Its quoted output less slippage is at least the minimum shown. It pays no platform fee.
          </Li>
          <Li>
            The transaction transfers SOL only into that wrapped SOL account. It opens only the accounts named above.
            Accounts that it closes return their rent to the service wallet.
          </Li>
          <Li>None of these accounts is in a lookup table, and there is no other program or instruction.</Li>
        </BulletList>
        <P>
          In the sandbox a swap is one transfer of at most the input in SOL, and one of at least the minimum into your
          own account. The dashboard and the SDK check all of this before they show a swap. To see the full effect,
          simulate the swap on a node that you choose, and compare the wallet’s balances before and after.
        </P>
        <HighlightedCode label="JavaScript, @solana/web3.js 1.x">{CHECK_SWAP}</HighlightedCode>
        <BulletList>
          <Li>`quote.minimumOutputAmount` is the least that you receive. Compare it with a price that you trust.</Li>
          <Li>If you hold other token accounts, check them in the same way.</Li>
        </BulletList>
      </Section>
      <SaleSection />
      <WithdrawalSection />
      <Notice tone="warn" title="Do not compare byte for byte">
        <P>
          A wallet may add instructions before it signs, such as a priority fee. Check the transaction before you pass
          it to the wallet. If the wallet is someone else’s, also check what it has signed before you send it, with the
          SDK’s `verifySigned`.
        </P>
      </Notice>
    </>
  );
}

function SaleSection() {
  return (
    <Section id="sale" title="A sale">
      <P>A sale is a swap in the other direction. The same rules apply, with these differences:</P>
      <BulletList>
        <Li>It contains no transfer of SOL. Only the network fee and the account deposit shown leave the wallet.</Li>
        <Li>
          It sells exactly the amount shown from the wallet’s own account of the asset, for at least the minimum shown.
        </Li>
        <Li>
          A sale for SOL ends with an instruction that unwraps the wallet’s own wrapped SOL. A sale for USDC may open
          the wallet’s own USDC account.
        </Li>
      </BulletList>
    </Section>
  );
}

function WithdrawalSection() {
  return (
    <Section id="withdrawal" title="A withdrawal">
      <P>
        Only the service wallet signs a withdrawal, and everything goes to one destination. Compare `destination` with
        the address that you gave. Simulate it like a swap: all that leaves the service wallet must arrive there.
      </P>
    </Section>
  );
}
