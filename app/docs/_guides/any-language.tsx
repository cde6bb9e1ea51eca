import { HighlightedCode } from "@/app/docs/_components/highlighted-code";
import { BulletList, DocsLink, FileLink, Li, P, Section, Table } from "@/app/docs/_components/prose";
import { ROUND_UP_PYTHON } from "@/app/docs/_content/samples";

const THREATS = [
  [
    "The server builds a different payment.",
    "The program decodes the transaction. It signs only the two shown transfers, and instructions that set the compute budget.",
  ],
  ["The server asks for too much.", "The program signs no round-up above its own limit, network fee included."],
  [
    "A false server asks for the signature from which the key is derived.",
    "The program signs a text only if its start names the expected purpose and deployment.",
  ],
  ["An answer is lost.", "The program sends the same bytes again. The chain executes the same bytes once."],
  ["The key file is stolen.", "Use a wallet that holds no more than you can afford to lose."],
];

export default function AnyLanguageGuide() {
  return (
    <>
      <P>
        The API needs HTTP, JSON, Ed25519, HMAC-SHA256 and base58. This Python program signs in, derives the service
        wallet, and saves the change of one purchase. It needs the packages `requests` and `pynacl`.
      </P>
      <Section id="program" title="The program">
        <HighlightedCode label="Python, round-up.py">{ROUND_UP_PYTHON}</HighlightedCode>
        <P>
          Start a <DocsLink href="/docs/sandbox">sandbox</DocsLink> first, and give the wallet play money.
        </P>
      </Section>
      <Section id="keys" title="Who holds which key">
        <BulletList>
          <Li>Your program holds the wallet’s key. It reads the key from a file of the Solana CLI.</Li>
          <Li>Your program derives the service wallet’s key each time. It does not store that key.</Li>
          <Li>The service receives two addresses, two proofs, and signed transactions. It never receives a key.</Li>
        </BulletList>
      </Section>
      <Section id="threats" title="What can go wrong">
        <Table caption="Threats, and what the program does" head={["Threat", "Defence"]} rows={THREATS} canFold />
      </Section>
      <Section id="port" title="In a different language">
        <BulletList>
          <Li>
            Check your derivation against the <DocsLink href="/docs/service-wallet#vectors">test vectors</DocsLink>.
          </Li>
          <Li>
            Generate types from <FileLink href="/api/openapi.json">openapi.json</FileLink>. Accept unknown fields in
            answers, because new fields appear without notice.
          </Li>
          <Li>
            Read lamports as 64-bit integers. Token amounts can exceed 2<sup>53</sup>, so they are decimal strings.
          </Li>
        </BulletList>
      </Section>
    </>
  );
}
