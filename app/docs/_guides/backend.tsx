import { HighlightedCode, ShellCode } from "@/app/docs/_components/highlighted-code";
import { BulletList, DocsLink, Li, P, Section, Table } from "@/app/docs/_components/prose";
import { BACKEND } from "@/app/docs/_content/samples";

const THREATS = [
  [
    "The static key leaks.",
    "It moves no money, because every transfer needs the customer’s signature. The operator replaces the key.",
  ],
  [
    "The service builds a payment to a stranger.",
    "`verifyWrap` compares the bytes with the order before the page shows them. The page checks them again.",
  ],
  [
    "The backend is killed and started again.",
    "The order’s id is the `reference`. The service saves each reference once and answers `already_saved` afterwards.",
  ],
  [
    "A customer names a service wallet that is not theirs.",
    "The page derives the wallet, and the proof shows who holds its key. Ask the customer to sign in before you store it.",
  ],
  [
    "The page signs another transaction, for example one lamport with the order’s memo.",
    "`verifySigned` compares the signed bytes with those that were built. The backend sends nothing else.",
  ],
  [
    "The customer saves a cent under the order’s reference, past your backend.",
    "The order is closed only if `asBuilt` is true. It compares what has landed with what your own key has built.",
  ],
  ["An event is missed.", "Events have a sequence number. The backend continues after the last one that it stored."],
];

const RUN_COMMANDS = `export ROUNDUP_KEY=$(openssl rand -hex 32)
# in Roundup's folder: a static key named shop, for 600 calls a minute
API_KEYS=shop:$ROUNDUP_KEY:600 npm start
# in your project, with the same ROUNDUP_KEY
PAGES_URL=http://localhost:4000/sign npx tsx backend.ts orders.json`;

export default function BackendGuide() {
  return (
    <>
      <P>
        A backend saves for many customers with one static API key. It builds and checks each payment, and the
        customer’s page signs it.
      </P>
      <Section id="keys" title="Who holds which key">
        <BulletList>
          <Li>The backend holds the static key. It never reaches a page, a log or an address.</Li>
          <Li>The customer’s wallet holds the key that pays.</Li>
          <Li>The customer’s page derives the service wallet’s key, and sends the backend its address and a proof.</Li>
        </BulletList>
      </Section>
      <Section id="split" title="Browser and backend">
        <BulletList>
          <Li>
            The page connects the wallet, derives the service wallet, and signs what it has checked. With the SDK it
            calls `serviceWallet()`, which also registers the address. An order then needs no `proof`.
          </Li>
          <Li>The backend calls the API, checks every answer, and keeps the list of orders.</Li>
          <Li>
            A static key stands for no wallet, so calls such as{" "}
            <DocsLink href="/docs#get-reference">GET /api/references/{"{reference}"}</DocsLink> name the customer’s
            `wallet`.
          </Li>
        </BulletList>
      </Section>
      <Section id="program" title="The program">
        <P>
          The operator sets the static key. In a sandbox that is you. `orders.json` is a list of `Order`. `PAGES_URL` is
          your own server, which passes each transaction to the customer’s page and answers it signed.
        </P>
        <ShellCode>{RUN_COMMANDS}</ShellCode>
        <HighlightedCode label="TypeScript, examples/backend.ts">{BACKEND}</HighlightedCode>
      </Section>
      <WhenAnOrderIsPaid />
      <Section id="events" title="Events">
        <BulletList>
          <Li>
            `followEvents` repeats <DocsLink href="/docs#get-events">GET /api/events</DocsLink>. Store the `sequence` of
            each event with your own changes, and continue after it.
          </Li>
          <Li>
            If too many calls wait already, the answer comes at once and has `retryAfterMs`. Wait that long before the
            next call. `followEvents` and `roundup listen` do so.
          </Li>
          <Li>An event may come again after a crash. Its `txSignature` shows that you know it.</Li>
          <Li>
            `sequence` counts from 1 without gaps. A first event above `after + 1` means that older ones have expired:
            events are kept for 30 days. Ask for your open orders by reference then.
          </Li>
        </BulletList>
      </Section>
      <Section id="threats" title="What can go wrong">
        <Table caption="Threats to a backend, and the defence" head={["Threat", "Defence"]} rows={THREATS} canFold />
      </Section>
    </>
  );
}

function WhenAnOrderIsPaid() {
  return (
    <Section id="closing" title="When an order is paid">
      <P>
        A reference proves nothing alone: the customer’s wallet can sign any amount under it. Events and{" "}
        <DocsLink href="/docs#get-reference">GET /api/references/{"{reference}"}</DocsLink> therefore compare what has
        landed with what your key has built. What anyone else builds under the same reference changes nothing for you.
      </P>
      <BulletList>
        <Li>
          `asBuilt: true`: at least the built amount went from this wallet into the service wallet that you named, and
          at least its fee was paid. Close the order.
        </Li>
        <Li>
          `asBuilt: false`: something else has landed. `amounts` says what the wallet paid, and `expected` what you have
          built. Leave the order open and tell the customer. The reference is used up: a new attempt needs another one.
        </Li>
        <Li>
          `asBuilt: null`: nothing is confirmed, or your key has built nothing under this reference in the last 30 days.
        </Li>
        <Li>
          The latest amount counts. You may build an order again at any price of SOL, and each of these builds may land.
          A build of another amount, plan or service wallet replaces them.
        </Li>
      </BulletList>
    </Section>
  );
}
