import { marked } from "marked";
import { InlineCode, Points, Section } from "@/app/docs/_components/prose";
import { CHANGELOG } from "@/app/docs/_content/samples";
import { API_VERSION } from "@/lib/contracts/version";

/** The changelog without its title and preface, one heading level deeper. */
const changes = CHANGELOG.slice(CHANGELOG.indexOf("## ")).replace(/^#/gm, "##");

export function ChangelogGuide() {
  return (
    <>
      <p>
        Every answer carries the version of the API in the header <InlineCode>roundup-version</InlineCode>. It is{" "}
        {API_VERSION} now. Paths contain no version.
      </p>
      <Section id="policy" title="What may change">
        <Points>
          <li>
            Additions come without notice: operations, optional request fields, fields of answers, error codes, and
            values of <InlineCode>source</InlineCode> and <InlineCode>type</InlineCode>. Ignore fields and codes that
            you do not know.
          </li>
          <li>
            A breaking change is announced first. Answers of the old behaviour then carry{" "}
            <InlineCode>Deprecation</InlineCode> (since when) and <InlineCode>Sunset</InlineCode> (until when), at least
            90 days apart.
          </li>
          <li>An error code never changes its meaning. The sentences beside the codes may change at any time.</li>
          <li>The texts that wallets sign, and how the service wallet is derived, never change.</li>
        </Points>
      </Section>
      <Section id="changes" title="What changed">
        <div
          className="space-y-3 [&_code]:font-mono [&_code]:text-[0.9em] [&_h3]:mt-8 [&_h3]:text-lg [&_h3]:font-semibold [&_h4]:mt-6 [&_h4]:font-semibold [&_ul]:list-disc [&_ul]:space-y-2 [&_ul]:pl-6"
          // The changelog is a file of this project, read at build time.
          dangerouslySetInnerHTML={{ __html: marked.parse(changes, { async: false }) }}
        />
      </Section>
    </>
  );
}
