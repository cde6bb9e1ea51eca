import { marked } from "marked";
import { BulletList, Li, P, Section } from "@/app/docs/_components/prose";
import { CHANGELOG } from "@/app/docs/_content/samples";
import { API_VERSION } from "@/lib/contracts/version";

/** The changelog without its title and preface. Its headings are one level deeper. */
const CHANGES = CHANGELOG.slice(CHANGELOG.indexOf("## ")).replace(/^#/gm, "##");

export default function ChangelogGuide() {
  return (
    <>
      <P>
        Every answer carries the version of the API in the header `roundup-version`. It is {API_VERSION} now. Paths
        contain no version.
      </P>
      <Section id="policy" title="What may change">
        <BulletList>
          <Li>
            Additions come without notice: operations, optional request fields, fields of answers, error codes, and
            values of `source` and `type`. Ignore fields and codes that you do not know.
          </Li>
          <Li>
            A breaking change is announced first. Answers of the old behaviour then carry `Deprecation` (since when) and
            `Sunset` (until when), at least 90 days apart.
          </Li>
          <Li>An error code never changes its meaning. The sentences beside the codes may change at any time.</Li>
          <Li>The texts that wallets sign, and how the service wallet is derived, never change.</Li>
        </BulletList>
      </Section>
      <Section id="changes" title="Releases">
        <div
          className="space-y-3 [&_code]:font-mono [&_code]:text-[0.9em] [&_h3]:mt-8 [&_h3]:text-lg [&_h3]:font-semibold [&_h4]:mt-6 [&_h4]:font-semibold [&_ul]:list-disc [&_ul]:space-y-2 [&_ul]:pl-6"
          // This HTML is trusted: the changelog is a file of this project, read at build time.
          dangerouslySetInnerHTML={{ __html: marked.parse(CHANGES, { async: false }) }}
        />
      </Section>
    </>
  );
}
