import { HighlightedCode, ShellCode } from "@/app/docs/_components/highlighted-code";
import { BulletList, DocsLink, Li, P, Section } from "@/app/docs/_components/prose";
import { SDK_README } from "@/app/docs/_content/samples";

const INSTALL_COMMANDS = `# in Roundup's folder: builds the package and packs it
npm ci && npm run build:sdk && npm pack ./dist/sdk
# in your project: the programs in these guides are ES modules
npm pkg set type=module
npm install /path/to/roundup-sdk-*.tgz @solana/web3.js@1 tsx @types/node
npx roundup --help`;

const RUN_COMMANDS = `# a new key file, as solana-keygen makes it, with play money from a sandbox
node -e 'console.log(JSON.stringify([...require("@solana/web3.js").Keypair.generate().secretKey]))' > id.json
npx roundup airdrop 1 --keypair id.json
npx tsx save.ts id.json`;

/** Returns the first TypeScript block of the README. */
function readFirstExample(): string {
  const [block] = /(?<=```ts\n)[\s\S]*?(?=\n```)/.exec(SDK_README) ?? [];
  if (!block) throw new Error("The SDK's README contains no TypeScript block.");
  return block;
}

export default function SdkGuide() {
  return (
    <>
      <P>
        The package `roundup-sdk` signs in, derives the service wallet, checks each transaction before it signs, and
        never pays twice. It is in no registry: you build it from Roundup’s source. It runs in browsers and in Node
        20.19 or later.
      </P>
      <Section id="install" title="Install">
        <ShellCode>{INSTALL_COMMANDS}</ShellCode>
        <P>
          The package’s README lists every option. `roundup` is <DocsLink href="/docs/agent">the command</DocsLink> in
          it.
        </P>
      </Section>
      <Section id="program" title="Save and invest">
        <HighlightedCode label="TypeScript, save.ts">{readFirstExample()}</HighlightedCode>
        <ShellCode>{RUN_COMMANDS}</ShellCode>
      </Section>
      <Section id="imports" title="What to import">
        <BulletList>
          <Li>
            `roundup-sdk`: `createRoundup` for a program that holds a wallet, and `createPreparer` for a backend whose
            customers sign.
          </Li>
          <Li>
            `roundup-sdk/client`: `createClient` calls every operation, typed by path. It signs and checks nothing.
          </Li>
          <Li>
            `roundup-sdk/attach` adds a round-up to your own transaction. `roundup-sdk/verify` checks what the service
            built. `roundup-sdk/errors` has `ApiError`.
          </Li>
        </BulletList>
      </Section>
    </>
  );
}
