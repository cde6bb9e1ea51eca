import { HighlightedCode, ShellCode } from "@/app/docs/_components/highlighted-code";
import { BulletList, DocsLink, Li, P, Section, Table } from "@/app/docs/_components/prose";
import { BOT } from "@/app/docs/_content/samples";

const THREATS = [
  [
    "The bot is killed between signing and the answer.",
    "Its storage holds the signed bytes. The next start learns their outcome before it builds anything.",
  ],
  [
    "Two copies of the bot run.",
    "Each purchase has its own `reference`, and the service saves a reference once. The second copy sees `elsewhere`.",
  ],
  [
    "The service shows a false price.",
    "The SDK compares each price with the prices that it has paid. A jump makes the payment refused.",
  ],
  ["The service asks for too much.", "The bot’s own limit decides. It signs nothing above MAX_SAVED_USD."],
  ["The machine is stolen.", "Use a wallet that holds no more than you can afford to lose."],
];

const RUN_COMMANDS = `echo '[{ "reference": "invoice-17", "usd": 4.02 }, { "reference": "invoice-18", "usd": 27.03 }]' > purchases.json
npx tsx bot.ts purchases.json`;

export default function BotGuide() {
  return (
    <>
      <P>
        A bot pays from its own wallet and saves the change of its own purchases. It asks nobody, so its limits are in
        its code.
      </P>
      <Section id="keys" title="Who holds which key">
        <BulletList>
          <Li>The bot’s machine holds the wallet’s key. No other program needs it.</Li>
          <Li>The SDK derives the service wallet’s key in memory. Nothing stores it.</Li>
          <Li>The bot needs no API key: it signs in with its wallet.</Li>
        </BulletList>
      </Section>
      <Section id="program" title="The program">
        <P>
          <DocsLink href="/docs/sdk">Install the SDK</DocsLink> and make a key file first.
        </P>
        <ShellCode>{RUN_COMMANDS}</ShellCode>
        <HighlightedCode label="TypeScript, examples/bot.ts">{BOT}</HighlightedCode>
        <P>
          The `storage` must outlive the program. Without it, a restarted bot cannot learn what became of a payment that
          it has signed.
        </P>
      </Section>
      <Section id="threats" title="What can go wrong">
        <Table caption="Threats to a bot, and the defence" head={["Threat", "Defence"]} rows={THREATS} canFold />
      </Section>
    </>
  );
}
