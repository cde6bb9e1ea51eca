import type { Metadata } from "next";
import localFont from "next/font/local";
import type { ReactNode } from "react";
import { SiteFooter } from "@/app/_components/site-footer";
import { HEADER_LINK_CLASSES, SiteHeader } from "@/app/_components/site-header";
import { SoftLink } from "@/app/_components/soft-link";
import { DocsNav } from "./_components/docs-nav";
import { DocsSearch } from "./_components/docs-search";
import { DocsSession } from "./_components/docs-session";
import { GUIDES } from "./_content/guides";
import { listOperationGroups } from "./_content/reference";

/** Many systems have no good monospaced font. */
const codeFont = localFont({
  src: "../../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
  weight: "100 800",
  variable: "--font-code",
});

export const metadata: Metadata = {
  title: { default: "Documentation", template: "%s · Roundup" },
  description: "Every call of the Roundup API with its fields, limits and errors, to read and to try.",
};

export default function DocsLayout({ children }: { children: ReactNode }) {
  const groups = listOperationGroups().map(({ tag, operations }) => ({
    tag,
    operations: operations.map(({ id, method, path }) => ({ id, method, path })),
  }));
  const guides = GUIDES.map(({ slug, title }) => ({ slug, title }));
  return (
    <div className={codeFont.variable}>
      <SiteHeader HomeLink={SoftLink}>
        <SoftLink href="/dashboard" className={HEADER_LINK_CLASSES}>
          Dashboard
        </SoftLink>
      </SiteHeader>
      <DocsSession>
        <div className="mx-auto max-w-6xl px-4 sm:px-6 lg:grid lg:grid-cols-[16rem_minmax(0,1fr)] lg:gap-10">
          <div className="space-y-3 pt-4 lg:space-y-5 lg:sticky lg:top-0 lg:flex lg:max-h-dvh lg:flex-col lg:self-start lg:pt-10">
            <DocsSearch />
            <DocsNav guides={guides} groups={groups} />
          </div>
          <main id="main" className="min-w-0 py-6 lg:py-10">
            {children}
          </main>
        </div>
      </DocsSession>
      <SiteFooter DocsLink={SoftLink} />
    </div>
  );
}
