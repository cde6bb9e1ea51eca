import { HighlightedCode, ShellCode } from "@/app/docs/_components/highlighted-code";
import { BulletList, DocsLink, Li, P, Section, Table } from "@/app/docs/_components/prose";
import { CHECKOUT } from "@/app/docs/_content/samples";

const THREATS = [
  [
    "The service builds a payment to a stranger.",
    "`attach` compares the bytes with the price, plan and wallets that your page names. It throws before the customer signs.",
  ],
  ["The service is down.", "The shop sells without a round-up. The sale never waits for it."],
  [
    "Someone posts the order twice.",
    "The order’s id is the `reference`. A second transaction for the same order is refused with `already_saved` if it is sent through the service. Your shop must also refuse an order that is paid.",
  ],
  [
    "The customer’s browser changes the price.",
    "Your backend reads the payment on the chain before it ships. It never believes the browser.",
  ],
  [
    "The wallet changes the transaction before it signs.",
    "`verifySigned` compares the signed bytes with those that were shown. A wallet may raise the network fee, and nothing else.",
  ],
  [
    "A script in your page asks for the service wallet’s text.",
    "The signature of that text is a key. Let no third-party script run on the page that asks for it.",
  ],
];

const RUN_COMMAND = `npx tsx checkout.ts order-1001 <address of a shop>`;

export default function CheckoutGuide() {
  return (
    <>
      <P>
        A shop adds the round-up to its own payment. The customer signs one transaction, which pays the shop and saves
        the change. Both parts land, or neither does.
      </P>
      <Section id="keys" title="Who holds which key">
        <BulletList>
          <Li>The customer’s wallet holds the key that pays. Your shop never sees it.</Li>
          <Li>The customer’s browser derives the service wallet’s key. It sends an address and a proof only.</Li>
          <Li>Your backend holds no key for a checkout. It knows the order’s id and its price.</Li>
        </BulletList>
      </Section>
      <Section id="split" title="Browser and backend">
        <BulletList>
          <Li>The backend names the price, the order’s id and the shop’s address.</Li>
          <Li>The browser builds the transaction, attaches the round-up, and asks the wallet to sign.</Li>
          <Li>
            The backend reads the payment from the chain. It asks{" "}
            <DocsLink href="/docs#get-reference">GET /api/references/{"{reference}"}</DocsLink> whether the round-up has
            landed.
          </Li>
          <Li>
            Does a reward depend on the round-up? Then your backend builds it with its own key, and the browser attaches
            its instructions. `asBuilt` compares the saving with what the asking caller has built. It is null for your
            backend if the browser has built the round-up.
          </Li>
        </BulletList>
      </Section>
      <Section id="program" title="The program">
        <P>
          It runs in Node with a key file, so that you can try it. <DocsLink href="/docs/sdk">Install the SDK</DocsLink>{" "}
          and make the key file first. In a page, replace `keyWallet` with the customer’s wallet.
        </P>
        <ShellCode>{RUN_COMMAND}</ShellCode>
        <HighlightedCode label="TypeScript, examples/checkout.ts">{CHECKOUT}</HighlightedCode>
      </Section>
      <Section id="threats" title="What can go wrong">
        <Table caption="Threats to a checkout, and the defence" head={["Threat", "Defence"]} rows={THREATS} canFold />
      </Section>
    </>
  );
}
